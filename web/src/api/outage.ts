// Whether Airdate can be reached. A request without an answer raises the question, one small request decides it, and it is
// asked again until there is an answer. One banner shows it for all screens.
import { useSyncExternalStore } from 'react';

/** A page that is being left loses its requests too: by then it is gone. */
const DOUBT_MS = 400;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
const TIMEOUT_MS = 10_000;

let isOut = false;
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let asking: Promise<void> | undefined;
const listeners = new Set<() => void>();
const returnListeners = new Set<() => void>();

/** A request got no answer, or the live stream broke. */
export function suspectOutage(): void {
  if (!isOut && timer === undefined && asking === undefined) askIn(DOUBT_MS);
}

/** A request got an answer. */
export function noteAnswer(): void {
  if (isOut) decide(true);
}

/** Asks immediately. */
export function tryNow(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}

/** Called when Airdate can be reached again. Returns the undo. */
export function onReturn(listener: () => void): () => void {
  returnListeners.add(listener);
  return () => returnListeners.delete(listener);
}

/** The browser says itself when it loses its network, and when it has it back. Returns the undo. */
export function watchNetwork(): () => void {
  const ask = () => void tryNow();
  const askIfOut = () => isOut && ask();
  window.addEventListener('offline', ask);
  window.addEventListener('online', askIfOut);
  return () => {
    window.removeEventListener('offline', ask);
    window.removeEventListener('online', askIfOut);
  };
}

export const isOutage = (): boolean => isOut;

export const useOutage = (): boolean => useSyncExternalStore(subscribe, isOutage);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function askIn(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => void tryNow(), ms);
}

async function ask(): Promise<void> {
  decide(await isReachable());
}

function decide(isReachable: boolean): void {
  const wasOut = isOut;
  isOut = !isReachable;
  clearTimeout(timer);
  timer = undefined;
  if (isReachable) failures = 0;
  else askIn(Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** failures++));
  if (wasOut === isOut) return;
  for (const listener of listeners) listener();
  if (isReachable) for (const listener of returnListeners) listener();
}

/** Answered without a session too. A refusal is an answer. */
async function isReachable(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { status } = await fetch('/api/v1/auth', { cache: 'no-store', signal });
    return !isNoAnswer(status);
  } catch {
    return false;
  }
}

/** What a proxy says when there is nothing behind it, and Airdate without its database. */
export const isNoAnswer = (status: number): boolean => status >= 502 && status <= 504;
