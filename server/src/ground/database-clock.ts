// The database's time, so that all hosts on one database agree about what is due. It goes on by this process's steady clock:
// setting the host's clock changes nothing.
//
// How long ago the database looked at its clock cannot be known: the question and the answer may both have been held up.
// What is known is a lower bound (it is at least as late as the answer says) and an upper bound (it was no later than that
// when the question left). The clock is the greatest lower bound of the last minutes, so that no post is ever early.
import type { Clock } from './clock.js';
import { faultOf, type Log } from './log.js';

export interface RunningClock extends Clock {
  stop(): void;
}

/** Steady clocks drift apart by some 20 ms per 1,000 s, and by 150 ms in this time if one of them is being corrected. */
const WINDOW_MS = 300_000;
/** One answer that took no longer puts the clock right to that. Slower ones are used while a better one is looked for. */
const SWIFT_MS = 250;
const ASK_EVERY_MS = 60_000;
const ASK_SOON_MS = 1_000;
/** For how long the start waits for a first answer while questions fail. */
const START_WITHIN_MS = 60_000;

interface Answer {
  cameAt: number;
  tookMs: number;
  /** What has to be added to the steady clock, at least. */
  offset: number;
}

export async function startDatabaseClock(
  ask: () => Promise<number>,
  log: Log,
  steadyNow: () => number = () => performance.now(),
): Promise<RunningClock> {
  let answers = [await firstAnswer(ask, log, steadyNow)];
  let { offset } = greatest(answers);
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const askAgain = async () => {
    try {
      const answer = await timed(ask, steadyNow);
      answers = [...answers.filter((older) => isStillTrue(older, answer)), answer];
      offset = greatest(answers).offset;
    } catch (err) {
      log.warn(faultOf(err), 'the clock could not be set by the database; it is tried again');
    }
    if (!isStopped) wait();
  };
  // The next question is asked only after the answer to the last.
  const wait = () => {
    const isGood = answers.some(({ tookMs }) => tookMs <= SWIFT_MS);
    timer = setTimeout(() => void askAgain(), isGood ? ASK_EVERY_MS : ASK_SOON_MS);
    timer.unref();
  };
  wait();
  return {
    now: () => Math.floor(steadyNow() + offset),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** However slow it is. Without one nothing can be started, because nothing could be called due. */
async function firstAnswer(ask: () => Promise<number>, log: Log, steadyNow: () => number): Promise<Answer> {
  const giveUpAt = steadyNow() + START_WITHIN_MS;
  for (;;) {
    try {
      return await timed(ask, steadyNow);
    } catch (err) {
      if (steadyNow() > giveUpAt) throw err;
      log.warn(faultOf(err), 'the database does not tell the time; the start waits for it');
      await new Promise((resolve) => setTimeout(resolve, ASK_SOON_MS));
    }
  }
}

async function timed(ask: () => Promise<number>, steadyNow: () => number): Promise<Answer> {
  const askedAt = steadyNow();
  const said = await ask();
  const cameAt = steadyNow();
  return { cameAt, tookMs: cameAt - askedAt, offset: said - cameAt };
}

/**
 * Not if it is too old, and not if the newer answer contradicts it: then the database's clock was set back, or another
 * server has taken its place. Answers are whole milliseconds, rounded down.
 */
function isStillTrue(older: Answer, newer: Answer): boolean {
  const most = newer.offset + newer.tookMs + 1;
  return newer.cameAt - older.cameAt < WINDOW_MS && older.offset <= most;
}

const greatest = (answers: Answer[]): Answer =>
  answers.reduce((best, answer) => (answer.offset > best.offset ? answer : best));
