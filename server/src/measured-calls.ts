// What is observed of each call to the platform.
import type { AroundCall } from './connectors/measured.js';
import type { Meters } from './ground/meters.js';
import type { Spans } from './ground/spans.js';

/** Each call to the platform is timed, and is a span if spans are recorded. */
export const aroundCalls =
  (meters: Meters, spans: Spans): AroundCall =>
  (call, run) =>
    spans.around(
      {
        name: `platform ${call}`,
        isCall: true,
        tell: ({ kind }) => ({ 'airdate.call': call, 'airdate.result': kind }),
      },
      async () => {
        const began = performance.now();
        let result = 'error';
        try {
          const answer = await run();
          result = answer.kind;
          return answer;
        } finally {
          meters.platformCalled(call, result, performance.now() - began);
        }
      },
    );
