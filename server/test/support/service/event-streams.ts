// A client of the event stream.
import assert from 'node:assert/strict';
import type { EventData, EventType } from '../../../src/events/schema.js';
import { until } from '../runner/until.js';
import type { Organization } from './harness.js';

export const EVENTS = '/api/v1/events';
export const STREAM = { accept: 'text/event-stream' };

/** Messages that are not stored as events. */
const NOTICES = ['ready', 'changed'];

/** Of any type, so that a test may look for a field without asking for the type first. */
export interface TestEvent {
  id: string;
  type: EventType;
  created_at: string;
  data: Partial<EveryField<EventData>>;
}
type EveryField<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

interface StreamMessage {
  id?: string;
  event?: string;
  retry?: string;
  // biome-ignore lint/suspicious/noExplicitAny: data of every shape
  data?: any;
}

export class Stream {
  readonly messages: StreamMessage[] = [];
  /** Without heartbeats, which are empty. */
  readonly comments: string[] = [];
  readonly response: Response;
  ended = false;
  /** The connection was cut off, not ended properly by the server. */
  broken = false;
  private readonly abort: AbortController;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.abort = abort;
    void this.readOn();
  }

  static async open(
    url: string,
    /** Null: a person whose session cookie is in the headers. */
    key: string | null,
    { after, headers }: { after?: string; headers?: Record<string, string> } = {},
  ): Promise<Stream> {
    const abort = new AbortController();
    const query = after === undefined ? '' : `?after=${after}`;
    const response = await fetch(url + EVENTS + query, {
      headers: { ...STREAM, ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
      signal: abort.signal,
    });
    return new Stream(response, abort);
  }

  private async readOn(): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const bytes of this.response.body as ReadableStream<Uint8Array>) {
        text += decoder.decode(bytes, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() as string;
        this.messages.push(...blocks.map(parse));
        this.comments.push(...blocks.flatMap((block) => /^: (.+)$/m.exec(block)?.[1] ?? []));
      }
    } catch {
      this.broken = true;
    }
    this.ended = true;
  }

  /** Durable events, in order of arrival. */
  events(): TestEvent[] {
    return this.messages.flatMap(({ event, data }) => (event && !NOTICES.includes(event) ? [data] : []));
  }

  /** From where it can be resumed. */
  lastId(): string {
    return this.messages.findLast(({ id }) => id !== undefined)?.id ?? assert.fail('no event came yet');
  }

  changes(): { posts: string[]; accounts: boolean }[] {
    return this.messages.flatMap(({ event, data }) => (event === 'changed' ? [data] : []));
  }

  changedPosts(): Set<string> {
    return new Set(this.changes().flatMap(({ posts }) => posts));
  }

  async untilChanged(postId: string): Promise<void> {
    await until(`a change of ${postId} is announced`, () => this.changedPosts().has(postId));
  }

  async untilEvents(n: number): Promise<TestEvent[]> {
    await until(`${n} events have come`, () => this.events().length >= n);
    return this.events();
  }

  async untilEnd(): Promise<void> {
    await until('the stream ends', () => this.ended);
  }

  /** Forgets everything received so far. */
  forget(): void {
    this.messages.length = 0;
  }

  close(): void {
    this.abort.abort();
  }
}

function parse(block: string): StreamMessage {
  const fields: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w*): ?(.*)$/s.exec(line) ?? assert.fail(`not a line of a stream: ${line}`);
    if (name) fields[name] = value as string;
  }
  return fields.data === undefined ? fields : { ...fields, data: JSON.parse(fields.data) };
}

export async function eventsOf(
  org: Organization,
  query: { after?: string; limit?: number } = {},
): Promise<TestEvent[]> {
  return org.sdk.events.list(query) as Promise<TestEvent[]>;
}
