// The person this page belongs to. All tabs of a browser share one session, and another person may sign in in another tab.
let person: string | undefined;
const listeners = new Set<(problem: Error) => void>();
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

/** Calls the listener when the API no longer accepts this page's session. */
export function onSessionLost(listener: (problem: Error) => void): void {
  listeners.add(listener);
}

export function reportSessionLost(problem: Error): void {
  for (const listener of listeners) listener(problem);
}

/** For a screen that says itself that the session is lost, because leaving it would interrupt a writer. Returns the undo. */
export function stayWhenSessionIsLost(): () => void {
  keepers++;
  return () => {
    keepers--;
  };
}

export const staysWhenSessionIsLost = (): boolean => keepers > 0;
