// When requests begin. Those that arrive in one turn of the event loop begin together when it ends, because their responses then
// leave together: with many connections a request takes up to half as much CPU time (decision 0024). And organizations
// take turns: a request of many short steps, such as an upload, has to wait a turn at each step; with a dozen requests of another
// organization in every turn, it took thirty times as long.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long an organization, or an address, counts as being there. */
const THERE_MS = 2_000;

/** Requests of one organization that begin in a turn at most, so that a long line does not keep everything else waiting. */
const MAX_STARTS_PER_TICK = 64;

/** Slides that begin in a turn, before all others. */
const MAX_SLIDES_IN_TURN = 16;

/** `isShared`: other organizations send requests as well. */
type Begin = (isShared: boolean) => void;

type Lines = Map<string, Begin[]>;

export interface Sender {
  key: string;
  /** The platform fetches a slide of a post that goes out, and gives up if it comes late. */
  isSlide?: boolean;
}

/**
 * While several organizations send requests, one request of each begins in a turn; otherwise up to MAX_STARTS_PER_TICK. Slides come before
 * all others, one of each attempt, and share their turns with none.
 */
export function fairStarts(now: () => number = Date.now) {
  const waiting: Lines = new Map();
  const slides: Lines = new Map();
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
    for (const begin of oneOfEach(slides, MAX_SLIDES_IN_TURN)) begin(isShared);
    const most = isShared ? 1 : MAX_STARTS_PER_TICK;
    for (const [key, line] of [...waiting]) {
      const beginning = line.splice(0, most);
      if (line.length === 0) waiting.delete(key);
      for (const begin of beginning) begin(isShared);
    }
    if (waiting.size + slides.size > 0) plan();
  }

  return ({ key, isSlide = false }: Sender, begin: Begin): void => {
    if (!isSlide && key !== last) {
      if (last !== undefined) sharedUntil = now() + THERE_MS;
      last = key;
    }
    const lines = isSlide ? slides : waiting;
    const line = lines.get(key);
    if (line) line.push(begin);
    else lines.set(key, [begin]);
    plan();
  };
}

/** Those that are left out come first in the next turn. */
function oneOfEach(lines: Lines, most: number): Begin[] {
  const beginning: Begin[] = [];
  for (const [key, line] of [...lines].slice(0, most)) {
    const begin = line.shift();
    if (begin) beginning.push(begin);
    lines.delete(key);
    if (line.length > 0) lines.set(key, line);
  }
  return beginning;
}

/** A hook before all that can refuse a request: a refusal costs time as well, and a client can ask for thousands of them. */
export function startFairly(senderOf: (request: FastifyRequest) => Sender) {
  const start = fairStarts();
  const latest = new WeakMap<Socket, ServerResponse>();
  return (request: FastifyRequest, { raw: response }: FastifyReply, done: () => void): void => {
    const sender = senderOf(request);
    const before = latest.get(request.raw.socket);
    latest.set(request.raw.socket, response);
    const begin = (isShared: boolean) => {
      // Its client may have gone while it waited. Begun now, it would take places that only a closing connection frees.
      if (response.destroyed) return;
      // It could not be answered before the one in front of it, and would take a connection of the database from others.
      if (isShared && before?.closed === false) before.once('close', () => start(sender, begin));
      else done();
    };
    start(sender, begin);
  };
}
