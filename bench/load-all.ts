// The same load on several processes at a time.
import autocannon from 'autocannon';

const CONNECTIONS = 64;

/** Returns how many requests were answered. */
export async function loadAll(
  urls: string[],
  request: { headers: Record<string, string>; method?: 'GET' | 'POST'; body?: string },
  seconds: number,
): Promise<number> {
  const results = await Promise.all(
    urls.map((url) =>
      autocannon({ url, ...request, connections: Math.ceil(CONNECTIONS / urls.length), duration: seconds }),
    ),
  );
  for (const { non2xx, errors } of results)
    if (non2xx > 0 || errors > 0)
      throw new Error(`${non2xx} responses were not expected, ${errors} requests failed`);
  return results.reduce((sum, { requests }) => sum + requests.total, 0);
}
