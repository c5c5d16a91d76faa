// The same load on several processes at a time.
import autocannon, { type Client } from 'autocannon';

const CONNECTIONS = 64;

export interface Request {
  /** One for each organization that sends it, in turn. */
  headers: Record<string, string>[];
  method?: 'GET' | 'POST';
  body?: string;
}

export interface Pace {
  seconds: number;
  /** Of all processes together; without it, as fast as they answer. */
  perSecond?: number;
}

/** Returns how many requests were answered. */
export async function loadAll(
  urls: string[],
  { headers, ...request }: Request,
  { seconds, perSecond }: Pace,
): Promise<number> {
  const connections = Math.ceil(CONNECTIONS / urls.length);
  const pace = perSecond === undefined ? {} : { overallRate: perSecond / urls.length };
  const results = await Promise.all(
    urls.map((url) => {
      const requests = headers.map((one) => ({ ...request, headers: one }));
      let next = 0;
      // Each connection begins with another organization: all would otherwise use the same one at the same time.
      const setupClient = (client: Client) => {
        const first = next++ % requests.length;
        client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
      };
      return autocannon({ url, connections, duration: seconds, setupClient, ...pace });
    }),
  );
  for (const { non2xx, errors } of results)
    if (non2xx > 0 || errors > 0)
      throw new Error(`${non2xx} responses were not expected, ${errors} requests failed`);
  return results.reduce((sum, { requests }) => sum + requests.total, 0);
}
