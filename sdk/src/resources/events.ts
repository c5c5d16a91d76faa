import type { CallOptions } from '../client/client.js';
import { AirdateError, Unavailable } from '../client/errors.js';
import { History } from '../client/pages.js';
import { isTransient, retryDelayMs, sleep } from '../client/retry.js';
import type { Event } from '../client/schemas.js';
import { GAP, messagesOf } from '../client/sse.js';
import type { QueryOf } from '../client/typed.js';
import { Resource } from './resource.js';

export interface FollowOptions {
  /** Only events after this one. Default: what happens from now on. `evt_000000000` comes before every event. */
  after?: string | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Called if events after the given position have expired, so that some were missed: fetch your data again. Afterwards, the events
   * that are left follow.
   */
  onGap?: (() => void) | undefined;
  /** How often to ask where streams do not come through, in milliseconds. Default: 5,000. */
  pollInterval?: number | undefined;
}

export interface EventPage {
  data: Event[];
  has_more: boolean;
  gap: boolean;
}

const PATH = '/api/v1/events';
/** Three heartbeats of the service. */
const SILENCE_MS = 45_000;
/** A stream that is held back by a proxy does not even begin. */
const BEGIN_MS = 15_000;
/** How often in a row a stream must fail before it is asked for events instead, and how often it is asked then. */
const MAX_FAILURES = 3;
const POLLS = 12;

export class Events extends Resource {
  /**
   * Events in their order. Awaited, at most 100 after this one; iterated, all up to now.
   * @example
   * ```ts
   * const events = await airdate.events.list({ after: 'evt_000000000', limit: 100 });
   * console.log(events.at(-1)?.id);
   *
   * for await (const { type, created_at } of airdate.events.list()) console.log(created_at, type);
   * ```
   */
  list(query: QueryOf<'listEvents'> = {}, options?: CallOptions): History<Event> {
    return new History(
      () => this.client.data('GET', PATH, { query, ...options }),
      (after = query.after) => this.page({ ...query, after }, options),
    );
  }

  /**
   * The same with `has_more`, and with `gap`: true if events after this one have expired. Then fetch your data again, and read on.
   * @example
   * ```ts
   * const { data, has_more, gap } = await airdate.events.page({ after: 'evt_000000000' });
   * console.log(data.length, has_more, gap);
   * ```
   */
  page(query: QueryOf<'listEvents'> = {}, options?: CallOptions): Promise<EventPage> {
    return this.client.request('GET', PATH, { query, ...options }) as Promise<EventPage>;
  }

  /**
   * Events as they happen, each once and in their order, through lost connections and restarts of the service. Keep the id of the
   * last one that you have dealt with, and pass it as `after` next time.
   * @example
   * ```ts
   * for await (const event of airdate.events.follow({ after: 'evt_000000000' })) {
   *   console.log(event.id, event.type, event.data);
   *   break;
   * }
   * ```
   */
  async *follow({
    after,
    signal,
    onGap,
    pollInterval = 5_000,
  }: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    let position = after;
    let failures = 0;
    for (;;) {
      try {
        for await (const { id, event, isGap } of this.#stream(position, signal)) {
          failures = 0;
          if (isGap) onGap?.();
          position = id ?? position;
          if (event) yield event;
        }
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (error instanceof AirdateError && !isTransient(error)) throw error;
      }
      const isNew = new Unavailable('The stream ended.', 'stream_ended');
      await sleep(retryDelayMs(++failures, isNew) ?? 0, signal);
      for (let polls = 0; failures >= MAX_FAILURES && polls < POLLS; polls++) {
        position ??= await this.#newest(signal);
        const { data: events, gap } = await this.#poll(position, signal);
        if (gap) onGap?.();
        for (const event of events) {
          position = event.id;
          yield event;
        }
        if (events.length === 0) await sleep(pollInterval, signal);
      }
    }
  }

  /** Positions, and the events at them. */
  async *#stream(
    position: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<{ id: string | undefined; event?: Event; isGap?: true }, void, undefined> {
    const opening = new AbortController();
    const timer = setTimeout(() => opening.abort(), BEGIN_MS);
    const response = await this.client
      .stream(PATH, {
        accept: 'text/event-stream',
        headers: position === undefined ? {} : { 'last-event-id': position },
        maxRetries: 0,
        signal: AbortSignal.any(signal ? [signal, opening.signal] : [opening.signal]),
      })
      .finally(() => clearTimeout(timer));
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body?.cancel();
      throw new Unavailable('The stream does not come through.', 'stream_ended');
    }
    let silence = BEGIN_MS;
    for await (const { id, event, data } of messagesOf(response.body, () => silence)) {
      silence = SILENCE_MS;
      if (event === GAP) yield { id, isGap: true };
      else if (event === 'ready') yield { id };
      // Notices of changes have no id.
      else if (id !== undefined) yield { id, event: JSON.parse(data) };
    }
  }

  /** Where events end now. */
  async #newest(signal: AbortSignal | undefined): Promise<string> {
    let after = 'evt_000000000';
    for (;;) {
      const last = (await this.list({ after }, { signal })).at(-1);
      if (!last) return after;
      after = last.id;
    }
  }

  async #poll(after: string, signal: AbortSignal | undefined): Promise<Pick<EventPage, 'data' | 'gap'>> {
    try {
      return await this.page({ after }, { signal });
    } catch (error) {
      if (error instanceof AirdateError && isTransient(error)) return { data: [], gap: false };
      throw error;
    }
  }
}
