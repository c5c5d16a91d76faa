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
    /** Sent in turn by each connection, with what is not given from above. */
    requests?: { headers: Record<string, string> }[];
  }
  interface Result {
    requests: { average: number; total: number };
    non2xx: number;
    '2xx': number;
    '4xx': number;
    '5xx': number;
    errors: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
