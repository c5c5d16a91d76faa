// Some acts ask a person to confirm that it is them; the API refuses until they have. One dialog asks, whichever screen was refused, and
// the request is sent again after it.
import { useSyncExternalStore } from 'react';

let answered: Promise<boolean> | undefined;
let answer: ((isProved: boolean) => void) | undefined;
const listeners = new Set<() => void>();

/** Resolves to whether the person has confirmed. Requests that are refused together are answered together. */
export function askForProof(): Promise<boolean> {
  // No screen of this page can ask.
  if (listeners.size === 0) return Promise.resolve(false);
  answered ??= new Promise<boolean>((resolve) => {
    answer = resolve;
  }).finally(() => {
    answered = answer = undefined;
    announce();
  });
  announce();
  return answered;
}

export const answerProof = (isProved: boolean): void => answer?.(isProved);

/** For the dialog: whether a request waits for it. */
export const useIsProofAsked = (): boolean => useSyncExternalStore(listen, () => answer !== undefined);

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function announce(): void {
  for (const listener of listeners) listener();
}
