// The database's time, so that all hosts on one database agree on what is due. Between answers it advances with this
// process's monotonic clock: changing the host's clock has no effect.
//
// When exactly the database read its clock is unknown, because both the query and its answer may be delayed. Known are a
// lower bound (its time is at least what the answer says) and an upper bound (it was at most that when the query left).
// This clock uses the greatest lower bound of the last few minutes, so that no post goes out early.
import type { Clock } from './clock.js';
import { type Log, toLogFields } from './log.js';

export interface RunningClock extends Clock {
  stop(): void;
}

/** Monotonic clocks drift apart by some 20 ms per 1,000 s, and by 150 ms in this window while NTP corrects one of them. */
const WINDOW_MS = 300_000;
/**
 * A paused virtual machine stops its monotonic clock as well, and nothing on the host tells that time has passed. Only the
 * database knows, so it is asked this often: the query takes it a tenth of a millisecond.
 */
const ASK_EVERY_MS = 1_000;
/** While queries fail, the log says so this often. */
const WARN_EVERY_MS = 60_000;
/** How long a start waits for a first answer while queries fail. */
const START_WITHIN_MS = 60_000;

interface Answer {
  cameAt: number;
  tookMs: number;
  /** The least that must be added to the monotonic clock. */
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
  let warnedAt = Number.NEGATIVE_INFINITY;
  const askAgain = async () => {
    try {
      const answer = await timed(ask, steadyNow);
      answers = [...answers.filter((older) => isStillTrue(older, answer)), answer];
      offset = greatest(answers).offset;
      warnedAt = Number.NEGATIVE_INFINITY;
    } catch (err) {
      if (steadyNow() - warnedAt >= WARN_EVERY_MS) {
        warnedAt = steadyNow();
        log.warn(toLogFields(err), 'the clock could not read the database time; it retries every second');
      }
    }
    if (!isStopped) wait();
  };
  // The next query starts only after the last one has been answered.
  const wait = () => {
    timer = setTimeout(() => void askAgain(), ASK_EVERY_MS);
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

/** Accepts any delay. The process cannot start without an answer, because it could not tell what is due. */
async function firstAnswer(ask: () => Promise<number>, log: Log, steadyNow: () => number): Promise<Answer> {
  const giveUpAt = steadyNow() + START_WITHIN_MS;
  for (;;) {
    try {
      return await timed(ask, steadyNow);
    } catch (err) {
      if (steadyNow() > giveUpAt) throw err;
      log.warn(toLogFields(err), 'the start waits for the database to tell the time');
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    }
  }
}

async function timed(ask: () => Promise<number>, steadyNow: () => number): Promise<Answer> {
  const askedAt = steadyNow();
  const databaseNow = await ask();
  const cameAt = steadyNow();
  return { cameAt, tookMs: cameAt - askedAt, offset: databaseNow - cameAt };
}

/**
 * False if the older answer is too old, or if the newer one contradicts it: then the database's clock was set back, or
 * another server replaced it. Answers are whole milliseconds, rounded down.
 */
function isStillTrue(older: Answer, newer: Answer): boolean {
  const maxOffset = newer.offset + newer.tookMs + 1;
  return newer.cameAt - older.cameAt < WINDOW_MS && older.offset <= maxOffset;
}

const greatest = (answers: Answer[]): Answer =>
  answers.reduce((best, answer) => (answer.offset > best.offset ? answer : best));
