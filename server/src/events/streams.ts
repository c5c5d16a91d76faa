// The event streams of one server: who may open one, and how long it lasts.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app/app.js';
import { toLogFields } from '../core/log.js';
import { AppError, unavailable } from '../core/problems.js';
import type { Change } from '../db/changes.js';
import { callerOf, stillAllowed } from '../request/caller.js';
import { findPosition, newestPosition } from './epochs.js';
import { findEventsAfter, isGapAfter } from './events.js';
import { MAX_EVENTS } from './schema.js';
import { EventStream } from './stream.js';

/** Per organization and process. */
export const MAX_STREAMS = 50;
/** Per key or session: a client that keeps opening streams must not lock out the rest of its organization. */
export const MAX_OF_CALLER = 10;

const TICK_MS = 1_000;
/** In ticks: how often streams check for events without a notification, and send a heartbeat. */
const CHECK_EVERY = 5;
const BEAT_EVERY = 15;

interface Open {
  /** The id of the key or session that opened it. */
  callerId: string;
  stream: EventStream;
  isAllowed(): Promise<boolean>;
  ticks: number;
}

export interface Streams {
  /** Answers the request with a stream that continues after this event, or from now on. */
  open(request: FastifyRequest, reply: FastifyReply, after: string | undefined): Promise<void>;
  count(): number;
  /** Begins to listen to other processes before the first stream does: /readyz then tells whether that works. */
  listen(): Promise<unknown>;
  /** Ends all streams; new ones end as soon as they have begun. */
  close(): void;
}

export function createStreams(app: App): Streams {
  const byOrg = new Map<string, Set<Open>>();
  let timer: NodeJS.Timeout | undefined;
  let listening: Promise<() => void> | undefined;
  let closed = false;

  const each = (act: (open: Open) => void) => {
    for (const opened of [...byOrg.values()]) for (const open of [...opened]) act(open);
  };
  const listener = {
    changed(change: Change) {
      for (const { stream } of byOrg.get(change.orgId) ?? []) stream.onChange(change);
    },
    // A client that reconnects fetches everything again, and so misses nothing.
    missed: () => each(({ stream }) => stream.end()),
  };

  function listen(): Promise<() => void> {
    if (listening) return listening;
    // What the streams have sent may be unknown to the restored database: clients that connect again are told so.
    app.safety.onEpoch(listener.missed);
    listening = app.db.listen(listener);
    return listening;
  }

  function tick(open: Open): void {
    open.ticks++;
    if (open.ticks % BEAT_EVERY === 0) open.stream.beat();
    if (open.ticks % CHECK_EVERY === 0) open.stream.eventsWaiting();
    open.isAllowed().then(
      (allowed) => allowed || open.stream.end(),
      () => {}, // The database does not answer, which says nothing about the caller.
    );
  }

  function add(orgId: string, open: Open): () => void {
    const opened = byOrg.get(orgId) ?? new Set();
    const ofCaller = [...opened].filter(({ callerId }) => callerId === open.callerId).length;
    if (ofCaller >= MAX_OF_CALLER) throw tooMany('This key or session', MAX_OF_CALLER);
    if (opened.size >= MAX_STREAMS) throw tooMany('Your organization', MAX_STREAMS);
    byOrg.set(orgId, opened.add(open));
    timer ??= setInterval(() => each(tick), TICK_MS).unref();
    return () => {
      opened.delete(open);
      if (opened.size === 0) byOrg.delete(orgId);
      if (byOrg.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }

  return {
    listen,
    async open(request, reply, after) {
      const caller = callerOf(request);
      const { orgId } = caller;
      const stream = new EventStream(
        reply.raw,
        (seq) => findEventsAfter(app.db.read, orgId, seq, MAX_EVENTS),
        (err) => app.log.warn(toLogFields(err), 'a stream could not read events; it will retry'),
      );
      const remove = add(orgId, {
        callerId: caller.via === 'key' ? caller.keyId : caller.sessionId,
        stream,
        isAllowed: () => stillAllowed(app, request),
        ticks: 0,
      });
      reply.raw.once('close', remove);
      try {
        if (!closed) await listen();
        const from =
          after === undefined ? await newestPosition(app, orgId) : await findPosition(app, orgId, after);
        const hasGap = after !== undefined && (await isGapAfter(app, orgId, from.seq));
        if (stream.isOver) throw unavailable('The stream could not start. Reconnect in a moment.');
        reply.hijack();
        for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...STREAM_HEADERS }))
          if (value !== undefined) reply.raw.setHeader(name, value);
        reply.raw.writeHead(200);
        stream.begin(from, hasGap);
        // A load balancer may still send a client here. It connects again and continues, instead of meeting an error.
        if (closed) stream.end();
      } catch (err) {
        remove();
        throw err;
      }
    },
    count: () => [...byOrg.values()].reduce((sum, { size }) => sum + size, 0),
    close() {
      closed = true;
      // A stream that is about to begin ends when it does.
      each(({ stream }) => stream.hasBegun && stream.end());
      void listening?.then((stop) => stop());
    },
  };
}

const tooMany = (whose: string, limit: number) =>
  new AppError('rate_limited', `${whose} has ${limit} streams open. Close one, or try again later.`, {
    headers: { 'retry-after': '5' },
  });

export const STREAM_TYPE = 'text/event-stream';

/** The last one stops nginx from buffering. */
const STREAM_HEADERS = { 'content-type': STREAM_TYPE, 'x-accel-buffering': 'no' };
