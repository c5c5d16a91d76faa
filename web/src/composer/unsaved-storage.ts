// Unsaved text is kept in this browser, so that neither a crash nor a reload loses it.
import type { Post } from '@airdate/sdk/core';
import { unsavedNameOf as nameOf } from '../api/session.js';
import type { Field, Fields } from './fields.js';

export interface Creation {
  /** Sent again with the same key, so that the post is created once. */
  key: string;
  body: { title: string; post_type: Post['post_type'] } & Partial<Fields>;
  /** The fields that the writer has typed. */
  names: Field[];
}

export interface Unsaved {
  /** When it was typed. */
  at?: number;
  fields: Partial<Fields>;
  /** What the API had in these fields when they were typed. */
  saved?: Partial<Fields>;
  /** Sent, but the answer was lost. */
  lost?: Partial<Fields>;
  postType?: Post['post_type'];
  creation?: Creation;
}

/** Posts that do not exist yet have unique names: two tabs must not overwrite each other's text. */
export const newPostKey = (key: string) => `new:${key}`;
const slotNameOf = (postId: string) => `airdate:slot:${postId}`;

export function saveUnsaved(person: string, which: string, unsaved: Unsaved | undefined): void {
  try {
    if (unsaved) localStorage.setItem(nameOf(person, which), JSON.stringify(unsaved));
    else localStorage.removeItem(nameOf(person, which));
  } catch {
    // A full or forbidden storage must not stop the writer; the API gets the text soon enough.
  }
}

export const loadUnsaved = (person: string, which: string): Unsaved | undefined =>
  read(nameOf(person, which));

function read(name: string): Unsaved | undefined {
  try {
    const text = localStorage.getItem(name);
    return text === null ? undefined : (JSON.parse(text) as Unsaved);
  } catch {
    return undefined;
  }
}

/** Locks this new post for as long as this tab lives, so that other tabs do not take its text. */
export function lockUntilClosed(person: string, which: string): () => void {
  let release = () => {};
  const isOver = new Promise<void>((resolve) => {
    release = resolve;
  });
  void locks?.request(nameOf(person, which), () => isOver);
  return release;
}

/** Offers the text of a new post whose tab is closed, the latest first. Only one tab can take it. */
export async function offerAbandonedText(person: string, take: (left: Unsaved) => boolean): Promise<void> {
  const found = namesOfNew(person).map((name) => ({ name, at: read(name)?.at ?? 0 }));
  let isTaken = false;
  for (const { name } of found.sort((a, b) => b.at - a.at)) {
    await ifFree(name, () => {
      const left = read(name);
      if (left === undefined) return;
      // First, so that there is space for it under its new name.
      localStorage.removeItem(name);
      isTaken = take(left);
      if (!isTaken) localStorage.setItem(name, JSON.stringify(left));
    });
    if (isTaken) return;
  }
}

/** Undefined on pages without TLS. There a text may be offered that another tab still has open. */
const locks = navigator.locks as LockManager | undefined;

async function ifFree(name: string, work: () => void): Promise<void> {
  if (locks) await locks.request(name, { ifAvailable: true }, (lock) => lock && work());
  else work();
}

function namesOfNew(person: string): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(nameOf(person, 'new')));
  } catch {
    return [];
  }
}

/** The free time chosen in the calendar, for as long as the tab lives. */
export function saveChosenSlot(postId: string, at: string | undefined): void {
  try {
    if (at) sessionStorage.setItem(slotNameOf(postId), at);
  } catch {
    // Then the writer chooses the time by hand.
  }
}

export function loadChosenSlot(postId: string): string | undefined {
  try {
    return sessionStorage.getItem(slotNameOf(postId)) ?? undefined;
  } catch {
    return undefined;
  }
}
