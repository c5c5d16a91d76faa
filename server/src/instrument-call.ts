// What is observed of each call to the platform.
import type { CallWrapper } from './connectors/instrument-connector.js';
import type { ProcessMetrics } from './core/meters.js';
import type { Spans } from './core/spans.js';

/** Each call to the platform is timed, and is a span if spans are recorded. */
export const instrumentCall =
  (meters: ProcessMetrics, spans: Spans): CallWrapper =>
  (call, run) =>
    spans.withSpan(
      {
        name: `platform ${call}`,
        isCall: true,
        attributesOf: ({ kind }) => ({ 'airdate.call': call, 'airdate.result': kind }),
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
