// Types for the part of autocannon that the benchmark uses; the package ships none.
declare module 'autocannon' {
  interface Options {
    url: string;
    method?: string;
    headers?: Record<string, string>;
    body?: string;
    connections?: number;
    duration?: number;
    overallRate?: number;
    /** Called for each connection before it sends anything. */
    setupClient?: (client: Client) => void;
  }
  interface Result {
    requests: { average: number; total: number };
    non2xx: number;
    '2xx': number;
    '4xx': number;
    '5xx': number;
    errors: number;
  }
  interface Request {
    method?: string;
    headers: Record<string, string>;
    body?: string;
  }
  export interface Client {
    /** Sent in turn. */
    setRequests(requests: Request[]): void;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
