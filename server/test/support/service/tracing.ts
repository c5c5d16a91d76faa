// A tracer in memory, written against the interfaces of the API alone, as an operator's own would be.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';

export interface Recorded {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  isError: boolean;
}

/** Follows asynchronous work. */
class Contexts implements ContextManager {
  private readonly storage = new AsyncLocalStorage<Context>();
  active = () => this.storage.getStore() ?? ROOT_CONTEXT;
  with: ContextManager['with'] = (inside, fn, thisArg, ...args) =>
    this.storage.run(inside, () => fn.call(thisArg as never, ...args));
  bind: ContextManager['bind'] = (_inside, target) => target;
  enable = () => this;
  disable = () => this;
}

/** Spans that have ended, in this order. Until `stop` is called, services that start find a tracer. */
export function recordSpans(): { ended: Recorded[]; stop(): void } {
  const ended: Recorded[] = [];
  const tracer: Tracer = {
    startSpan: (name, options, parent) => begin(ended, name, options ?? {}, parent ?? context.active()),
    startActiveSpan(name: string, ...given: unknown[]) {
      const run = given.at(-1) as (span: Span) => never;
      const span = tracer.startSpan(name, given.length > 1 ? (given[0] as SpanOptions) : {});
      return context.with(trace.setSpan(context.active(), span), run, undefined, span);
    },
  };
  context.setGlobalContextManager(new Contexts());
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  return {
    ended,
    stop() {
      trace.disable();
      context.disable();
    },
  };
}

function begin(ended: Recorded[], name: string, { kind, attributes }: SpanOptions, parent: Context): Span {
  const above = trace.getSpanContext(parent);
  const recorded: Recorded = {
    name,
    kind: kind ?? SpanKind.INTERNAL,
    attributes: { ...attributes },
    traceId: above?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    parentId: above?.spanId,
    isError: false,
  };
  const span: Span = {
    spanContext: () => ({ ...recorded, traceFlags: TraceFlags.SAMPLED }),
    setAttribute(name, value) {
      recorded.attributes[name] = value;
      return span;
    },
    setAttributes(more) {
      Object.assign(recorded.attributes, more);
      return span;
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    setStatus() {
      recorded.isError = true;
      return span;
    },
    updateName: () => span,
    end: () => void ended.push(recorded),
    isRecording: () => true,
    recordException: () => {},
  };
  return span;
}
