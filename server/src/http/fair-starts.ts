// Organizations take turns in the process. A request of many short steps, such as an upload, has to wait a turn of the event loop
// at each step; with a dozen requests of another organization in every turn, it took thirty times as long.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../ground/networks.js';

/** How long an organization, or an address, counts as being there. */
const THERE_MS = 2_000;

type Begin = () => void;

/**
 * One request of each begins in a turn of the event loop, while several are there. One alone may use every turn: dividing them
 * costs a little, and serves no other.
 */
export function fairStarts(now: () => number = Date.now) {
  const begun = new Set<string>();
  const waiting = new Map<string, Begin[]>();
  let isPlanned = false;
  let last: string | undefined;
  let sharedUntil = 0;

  function nextTurn(): void {
    isPlanned = false;
    begun.clear();
    for (const [key, line] of [...waiting]) {
      const begin = line.shift();
      if (line.length === 0) waiting.delete(key);
      begun.add(key);
      begin?.();
    }
    if (waiting.size > 0) plan();
  }

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(nextTurn);
  }

  return (key: string, begin: Begin): void => {
    if (key !== last) {
      if (last !== undefined) sharedUntil = now() + THERE_MS;
      last = key;
    }
    if (sharedUntil === 0 || now() >= sharedUntil) {
      sharedUntil = 0;
      return begin();
    }
    plan();
    const line = waiting.get(key);
    if (line) line.push(begin);
    else if (begun.has(key)) waiting.set(key, [begin]);
    else {
      begun.add(key);
      begin();
    }
  };
}

/** Without a key or a session, the network of the address counts. */
export function startFairly() {
  const start = fairStarts();
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void): void =>
    start(request.caller?.orgId ?? networkOf(request.ip), done);
}
