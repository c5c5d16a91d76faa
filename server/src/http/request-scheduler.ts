// When requests begin. Those that arrive in one tick of the event loop begin together when it ends, because their responses then
// leave together: with many connections a request takes up to half as much CPU time (decision 0024). And organizations
// take turns: a request of many short steps, such as an upload, waits a tick at each step; with a dozen requests of another
// organization in every tick, it took thirty times as long.
//
// This is no queue as those of app/queues.ts: it does not know what runs, refuses nothing, and holds no request longer than the
// ticks before it.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long an organization, or an address, counts as active. */
const ACTIVE_MS = 2_000;

/** Requests of one organization that begin in a tick at most, so that many of them do not keep everything else waiting. */
const MAX_STARTS_PER_TICK = 64;

/** Slides that begin in a tick, before all others. */
const MAX_SLIDES_PER_TICK = 16;

/** `isShared`: other organizations send requests as well. */
type Begin = (isShared: boolean) => void;

type Waiting = Map<string, Begin[]>;

export interface Sender {
  key: string;
  /** The platform fetches a slide of a post that goes out, and gives up if it comes late. */
  isSlide?: boolean;
}

/**
 * While several organizations send requests, one request of each begins in a tick; otherwise up to MAX_STARTS_PER_TICK. Slides come
 * before all others, one of each attempt, and do not count as an organization.
 */
export function createRequestScheduler(now: () => number = Date.now) {
  const requests: Waiting = new Map();
  const slides: Waiting = new Map();
  let isPlanned = false;
  let last: string | undefined;
  let sharedUntil = 0;

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(startBatch);
  }

  function startBatch(): void {
    isPlanned = false;
    const isShared = now() < sharedUntil;
    const batch = [
      ...take(slides, 1, MAX_SLIDES_PER_TICK),
      ...take(requests, isShared ? 1 : MAX_STARTS_PER_TICK, requests.size),
    ];
    for (const begin of batch) begin(isShared);
    if (requests.size + slides.size > 0) plan();
  }

  return ({ key, isSlide = false }: Sender, begin: Begin): void => {
    if (!isSlide && key !== last) {
      if (last !== undefined) sharedUntil = now() + ACTIVE_MS;
      last = key;
    }
    const waiting = isSlide ? slides : requests;
    const own = waiting.get(key);
    if (own) own.push(begin);
    else waiting.set(key, [begin]);
    plan();
  };
}

/** Takes up to `ofEach` requests of each of the first `maxKeys` keys. Keys that are left out come first in the next tick. */
function take(waiting: Waiting, ofEach: number, maxKeys: number): Begin[] {
  const taken: Begin[] = [];
  for (const [key, own] of [...waiting].slice(0, maxKeys)) {
    taken.push(...own.splice(0, ofEach));
    waiting.delete(key);
    if (own.length > 0) waiting.set(key, own);
  }
  return taken;
}

/** A hook before all that can refuse a request: a refusal costs time as well, and a client can ask for thousands of them. */
export function fairSchedulingHook(senderOf: (request: FastifyRequest) => Sender) {
  const start = createRequestScheduler();
  const latest = new WeakMap<Socket, ServerResponse>();
  return (request: FastifyRequest, { raw: response }: FastifyReply, done: () => void): void => {
    const sender = senderOf(request);
    const before = latest.get(request.raw.socket);
    latest.set(request.raw.socket, response);
    const begin = (isShared: boolean) => {
      // Its client may have gone while it waited. Begun now, it would take capacity that only a closing connection frees.
      if (response.destroyed) return;
      // It could not be answered before the one in front of it, and would take a connection of the database from others.
      if (isShared && before?.closed === false) before.once('close', () => start(sender, begin));
      else done();
    };
    start(sender, begin);
  };
}
