// Notifications of changes: noted in the transaction that makes the change, sent to listeners after its commit. They only
// say what to fetch again; no listener may rely on receiving every one.

/** What changed of one organization. */
export interface ChangeSet {
  posts: Set<string>;
  /** Whether any of its accounts changed. */
  accounts: boolean;
  /** Whether any of its labels changed: its name, its colour, or that it exists. */
  labels: boolean;
  snippets: boolean;
  /** Whether a member has another role, or is gone. */
  members: boolean;
  /** Whether there is a new event; see events/. */
  events: boolean;
}

export interface Change extends ChangeSet {
  orgId: string;
}

type ChangeParts = Partial<Omit<ChangeSet, 'posts'>> & { posts?: Iterable<string> };

export const noChanges = (): ChangeSet => ({
  posts: new Set(),
  accounts: false,
  labels: false,
  snippets: false,
  members: false,
  events: false,
});

export interface Listener {
  changed(change: Change): void;
  /** Changes made by other processes may have been missed. */
  missed(): void;
}

/** By transaction. A WeakMap, so that a failed transaction needs no cleanup. */
const noted = new WeakMap<object, Map<string, Change>>();

export function markChanged(tx: object, orgId: string, what: ChangeParts): void {
  let notes = noted.get(tx);
  if (!notes) {
    notes = new Map();
    noted.set(tx, notes);
  }
  mergeChange(notes, orgId, what);
}

/**
 * For a transaction that changes something of the organization which no listener follows: its cached responses are read again. Without
 * a note, those of every organization would be.
 */
export const invalidateResponses = (tx: object, orgId: string): void => markChanged(tx, orgId, {});

/** What was noted in this transaction since the last call. */
export function takeChanges(tx: object): Change[] {
  const notes = noted.get(tx);
  if (!notes) return [];
  noted.delete(tx);
  return [...notes.values()];
}

export function mergeChange(changes: Map<string, Change>, orgId: string, what: ChangeParts): void {
  const change = changes.get(orgId) ?? { orgId, ...noChanges() };
  changes.set(orgId, change);
  addChanges(change, what);
}

export function addChanges(
  to: ChangeSet,
  { posts = [], accounts, labels, snippets, members, events }: ChangeParts,
): void {
  for (const id of posts) to.posts.add(id);
  to.accounts ||= accounts ?? false;
  to.labels ||= labels ?? false;
  to.snippets ||= snippets ?? false;
  to.members ||= members ?? false;
  to.events ||= events ?? false;
}

/** The listeners in this process. */
export class ChangeListeners {
  private readonly listeners = new Set<Listener>();

  add(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  notify(changes: readonly Change[]): void {
    for (const change of changes) this.each((listener) => listener.changed(change));
  }

  notifyMissed(): void {
    this.each((listener) => listener.missed());
  }

  private each(act: (listener: Listener) => void): void {
    for (const listener of this.listeners)
      try {
        act(listener);
      } catch {
        // Listeners run after the commit and must not make it look failed.
      }
  }
}
