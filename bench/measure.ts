// Measures ratios: on a shared machine, only figures from the same run can be compared. Every contestant runs briefly in
// every round, and the result is the median of the rounds' ratios.
import autocannon from 'autocannon';

/** At the end of a query: means nothing, and makes the URL too long for its bytes to be kept, so it is read anew. */
export const ANEW = '&'.repeat(300);

export interface Contestant {
  name: string;
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Every response is 304. */
  isKnown?: boolean;
  /** The CPU time that the server has used so far. */
  cpuMs(): number;
}

export interface Share {
  name: string;
  /** Requests per second as a share of the first contestant's, median over the rounds. */
  share: number;
  /** Requests per second of CPU time, as a share likewise: unlike the rate, it does not depend on who else is busy. */
  cpuShare: number;
  requestsPerSecond: number;
}

interface Load {
  /** Requests per second. */
  rate: number;
  /** Requests per second of the server's CPU time. */
  perCpuSecond: number;
}

export async function compare(contestants: Contestant[], rounds: number, seconds: number): Promise<Share[]> {
  const loads = new Map<string, Load[]>(contestants.map(({ name }) => [name, []]));
  for (const contestant of contestants) await load(contestant, 1); // warm up
  for (let round = 0; round < rounds; round++)
    for (const contestant of contestants) loads.get(contestant.name)?.push(await load(contestant, seconds));
  const bare = loads.get(contestants[0]?.name ?? '') ?? [];
  return contestants.map(({ name }) => {
    const own = loads.get(name) ?? [];
    const shareOf = (figure: keyof Load) =>
      median(own.map((load, round) => load[figure] / (bare[round] as Load)[figure]));
    return {
      name,
      share: shareOf('rate'),
      cpuShare: shareOf('perCpuSecond'),
      requestsPerSecond: median(own.map(({ rate }) => rate)),
    };
  });
}

async function load(
  { name, url, method = 'GET', headers = {}, body, isKnown = false, cpuMs }: Contestant,
  seconds: number,
): Promise<Load> {
  const cpuBefore = cpuMs();
  const result = await autocannon({
    url,
    method,
    headers,
    connections: 64,
    duration: seconds,
    ...(body === undefined ? {} : { body }),
  });
  const unexpected = isKnown ? result['2xx'] + result['4xx'] + result['5xx'] : result.non2xx;
  if (unexpected > 0 || result.errors > 0)
    throw new Error(`${name}: ${unexpected} responses were not expected, ${result.errors} requests failed`);
  return {
    rate: result.requests.average,
    perCpuSecond: (1000 * result.requests.total) / (cpuMs() - cpuBefore),
  };
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
