// Text that is not saved yet is kept in this browser, so that neither a crash nor a reload takes it away.
import type { Post } from '@airdate/sdk';
import type { Field, Fields } from './fields.js';

export interface Creation {
  /** Sent again with the same key, the post is made once. */
  key: string;
  body: { title: string; post_type: Post['post_type'] } & Partial<Fields>;
  /** The fields of it that somebody has typed. */
  names: Field[];
}

export interface Kept {
  fields: Partial<Fields>;
  postType?: Post['post_type'];
  creation?: Creation;
}

/** Whose text it is belongs to the name: the next person in this browser must not find it among theirs. */
const nameOf = (person: string, postId: string | undefined) => `airdate:unsaved:${person}:${postId ?? 'new'}`;
const slotOf = (postId: string) => `airdate:slot:${postId}`;

export function keep(person: string, postId: string | undefined, kept: Kept | undefined): void {
  try {
    if (kept) localStorage.setItem(nameOf(person, postId), JSON.stringify(kept));
    else localStorage.removeItem(nameOf(person, postId));
  } catch {
    // A full or forbidden storage must not stop anybody from writing; the API has the text soon enough.
  }
}

export function kept(person: string, postId: string | undefined): Kept | undefined {
  try {
    const text = localStorage.getItem(nameOf(person, postId));
    return text === null ? undefined : (JSON.parse(text) as Kept);
  } catch {
    return undefined;
  }
}

/** The free time one came from in the calendar, for as long as the tab lives. */
export function keepSlot(postId: string, at: string | undefined): void {
  try {
    if (at) sessionStorage.setItem(slotOf(postId), at);
  } catch {
    // Then the time is chosen by hand.
  }
}

export function keptSlot(postId: string): string | undefined {
  try {
    return sessionStorage.getItem(slotOf(postId)) ?? undefined;
  } catch {
    return undefined;
  }
}
