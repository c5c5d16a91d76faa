// Measures ratios: on a shared machine, only figures from the same run can be compared. Every contestant runs briefly in
// every round, and the result is the median of the rounds' ratios.
import autocannon from 'autocannon';

export interface Contestant {
  name: string;
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
}

export interface Share {
  name: string;
  /** Requests per second as a share of the first contestant's, median over the rounds. */
  share: number;
  requestsPerSecond: number;
}

export async function compare(contestants: Contestant[], rounds: number, seconds: number): Promise<Share[]> {
  const rates = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (const contestant of contestants) await load(contestant, 1); // warm up
  for (let round = 0; round < rounds; round++)
    for (const contestant of contestants) rates.get(contestant.name)?.push(await load(contestant, seconds));
  const bare = rates.get(contestants[0]?.name ?? '') ?? [];
  return contestants.map(({ name }) => {
    const own = rates.get(name) ?? [];
    return {
      name,
      share: median(own.map((rate, round) => rate / (bare[round] as number))),
      requestsPerSecond: median(own),
    };
  });
}

async function load(
  { name, url, method = 'GET', headers = {}, body }: Contestant,
  seconds: number,
): Promise<number> {
  const result = await autocannon({
    url,
    method,
    headers,
    connections: 64,
    duration: seconds,
    ...(body === undefined ? {} : { body }),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} responses were not 2xx, ${result.errors} requests failed`);
  return result.requests.average;
}

/** Milliseconds per request, sent one at a time and alternating between the URLs; the median of each. */
export async function timeInTurn(
  urls: string[],
  headers: Record<string, string>,
  times: number,
): Promise<number[]> {
  const samples = urls.map(() => [] as number[]);
  for (let next = 0; next < times + 5; next++)
    for (const [i, url] of urls.entries()) {
      const startedAt = performance.now();
      const response = await fetch(url, { headers });
      await response.text();
      if (!response.ok) throw new Error(`${url} answered ${response.status}`);
      if (next >= 5) samples[i]?.push(performance.now() - startedAt);
    }
  return samples.map(median);
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}
