// When requests begin. Those that arrive in one turn of the event loop begin together when it ends, because their responses then
// leave together: with many connections a request takes up to half as much CPU time (docs/decisions/0024). And organizations
// take turns: a request of many short steps, such as an upload, has to wait a turn at each step; with a dozen requests of another
// organization in every turn, it took thirty times as long.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MEDIA_PATH } from '../publishing/attempt/snapshot.js';

/** How long an organization, or an address, counts as being there. */
const THERE_MS = 2_000;

/** Requests of one organization that begin in a turn at most, so that a long line does not keep everything else waiting. */
const MOST_IN_TURN = 64;

/** Fewer: anyone can ask for slides that do not exist. */
const MOST_SLIDES_IN_TURN = 16;

/** `isShared`: other organizations send requests as well. */
type Begin = (isShared: boolean) => void;

/** The slides of posts that go out: the platform fetches them, and gives up if they come late. */
export const SLIDES = 'slides';

/**
 * While several organizations send requests, one request of each begins in a turn; otherwise up to MOST_IN_TURN. Slides come before
 * all others, and share their turns with none.
 */
export function fairStarts(now: () => number = Date.now) {
  const waiting = new Map<string, Begin[]>();
  const slides: Begin[] = [];
  let isPlanned = false;
  let last: string | undefined;
  let sharedUntil = 0;

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(nextTurn);
  }

  function nextTurn(): void {
    isPlanned = false;
    const isShared = now() < sharedUntil;
    for (const begin of slides.splice(0, MOST_SLIDES_IN_TURN)) begin(isShared);
    const most = isShared ? 1 : MOST_IN_TURN;
    for (const [key, line] of [...waiting]) {
      const beginning = line.splice(0, most);
      if (line.length === 0) waiting.delete(key);
      for (const begin of beginning) begin(isShared);
    }
    if (waiting.size + slides.length > 0) plan();
  }

  return (key: string, begin: Begin): void => {
    if (key === SLIDES) {
      slides.push(begin);
      plan();
      return;
    }
    if (key !== last) {
      if (last !== undefined) sharedUntil = now() + THERE_MS;
      last = key;
    }
    const line = waiting.get(key);
    if (line) line.push(begin);
    else waiting.set(key, [begin]);
    plan();
  };
}

/** A hook before all that can refuse a request: a refusal costs time as well, and a client can ask for thousands of them. */
export function startFairly(senderOf: (request: FastifyRequest) => string) {
  const start = fairStarts();
  const keyOf = (request: FastifyRequest) =>
    request.routeOptions.url?.startsWith(MEDIA_PATH) ? SLIDES : senderOf(request);
  const latest = new WeakMap<Socket, ServerResponse>();
  return (request: FastifyRequest, { raw: response }: FastifyReply, done: () => void): void => {
    const key = keyOf(request);
    const before = latest.get(request.raw.socket);
    latest.set(request.raw.socket, response);
    const begin = (isShared: boolean) => {
      // Its client may have gone while it waited. Begun now, it would take places that only a closing connection frees.
      if (response.destroyed) return;
      // It could not be answered before the one in front of it, and would take a connection of the database from others.
      if (isShared && before?.closed === false) before.once('close', () => start(key, begin));
      else done();
    };
    start(key, begin);
  };
}
