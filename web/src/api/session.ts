// The person this page belongs to. All tabs of a browser share one session, and another person may sign in in another tab.
import { useSyncExternalStore } from 'react';

let person: string | undefined;
let isLost = false;
const listeners = new Set<(problem: Error) => void>();
const rightsListeners = new Set<() => void>();
let keepers = 0;

/**
 * Everything this page asks from now on is asked as this person. If another one has signed in in this browser meanwhile, the
 * API refuses with 401: nothing of this page is saved into their session, and nothing of theirs is shown on it.
 */
export function setPagePerson(id: string | undefined): void {
  person ??= id;
}

/** Undefined until the API has said who is signed in. */
export const personOfPage = (): string | undefined => person;

/** Calls the listener when the API no longer accepts this page's session. Returns the undo. */
export function onSessionLost(listener: (problem: Error) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function reportSessionLost(problem: Error): void {
  isLost = true;
  for (const listener of listeners) listener(problem);
}

/** Said once, by the screen that stays, or by the sign-in page: nothing else says it again. */
export const useSessionLost = (): boolean => useSyncExternalStore(onSessionLost, () => isLost);

/** Calls the listener when the API refuses what this page has offered: the person may do less than before. Returns the undo. */
export function onRightsLost(listener: () => void): () => void {
  rightsListeners.add(listener);
  return () => rightsListeners.delete(listener);
}

export function reportRightsLost(): void {
  for (const listener of rightsListeners) listener();
}

/** For a screen that says itself that the session is lost, because leaving it would interrupt a writer. Returns the undo. */
export function stayWhenSessionIsLost(): () => void {
  keepers++;
  return () => {
    keepers--;
  };
}

export const staysWhenSessionIsLost = (): boolean => keepers > 0;

/** The name contains the person: the next one in this browser must not find the text among theirs. */
export const unsavedNameOf = (person: string, which: string) => `airdate:unsaved:${person}:${which}`;

/** Whether text of this person, of any post, waits here to be saved. */
export function hasUnsaved(person: string): boolean {
  try {
    return Object.keys(localStorage).some((name) => name.startsWith(unsavedNameOf(person, '')));
  } catch {
    return false;
  }
}
