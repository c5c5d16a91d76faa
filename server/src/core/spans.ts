// Spans for whatever tracing the operator loads beside the service (node --import). Without it there is no overhead: whether
// a tracer is registered is decided at the start.
import { type Attributes, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

export interface Spans {
  /** Whether anything is recorded. */
  readonly areRecorded: boolean;
  /** Runs the work inside a span. */
  withSpan<T>(span: SpanPlan<T>, work: () => Promise<T>): Promise<T>;
}

export interface SpanPlan<T> {
  name: string;
  /** Calls to other services; everything else is work of our own. */
  isCall?: boolean;
  attributes?: Attributes;
  /** What is known only at the end. */
  attributesOf?: (result: T) => Attributes;
}

const TRACER = 'airdate';

export function createSpans(): Spans {
  if (!isTracerRegistered()) return { areRecorded: false, withSpan: (_span, work) => work() };
  const tracer = trace.getTracer(TRACER);
  return {
    areRecorded: true,
    withSpan: ({ name, isCall = false, attributes = {}, attributesOf }, work) =>
      tracer.startActiveSpan(
        name,
        { kind: isCall ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes },
        async (span) => {
          try {
            const result = await work();
            if (attributesOf) span.setAttributes(attributesOf(result));
            return result;
          } catch (error) {
            span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).name });
            throw error;
          } finally {
            span.end();
          }
        },
      ),
  };
}

/** Without a provider, spans have no valid id. With one, this first span shows when the process started. */
function isTracerRegistered(): boolean {
  const first = trace.getTracer(TRACER).startSpan('start');
  first.end();
  return trace.isSpanContextValid(first.spanContext());
}
