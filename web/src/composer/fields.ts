// What a member edits of a post, each field as a text, and the API's limits. Lengths are counted in characters, not UTF-16 units.

import type { Post, SocialAccount } from '@airdate/sdk/core';
import { number } from '../text/numbers.js';

export const LIMITS = { title: 500, caption: 2200, hashtags: 500 } as const;

export type TextField = keyof typeof LIMITS;
export type Field = TextField | 'social_account_id' | 'cover_index' | 'cover_ms' | 'labels';
/** The cover is a number in digits, labels are ids with spaces between them; empty means none chosen. */
export type Fields = Readonly<Record<Field, string>>;

export const NO_FIELDS: Fields = {
  title: '',
  caption: '',
  hashtags: '',
  social_account_id: '',
  cover_index: '',
  cover_ms: '',
  labels: '',
};
export const FIELDS = Object.keys(NO_FIELDS) as readonly Field[];

export const charactersOf = (text: string): number => [...text].length;

export const isTextField = (field: Field): field is TextField => field in LIMITS;

/** No field shows the default title, which is sent because the API requires one. */
export const fieldsOf = (post: Post, invented?: string): Fields => ({
  title: post.title === null || post.title === invented ? '' : post.title,
  caption: post.caption ?? '',
  hashtags: post.hashtags ?? '',
  social_account_id: post.social_account_id ?? '',
  cover_index: post.cover_index === null ? '' : String(post.cover_index),
  cover_ms: post.cover_ms === null ? '' : String(post.cover_ms),
  labels: post.labels.join(' '),
});

export const labelIdsOf = ({ labels }: Pick<Fields, 'labels'>): string[] =>
  labels === '' ? [] : labels.split(' ');

/** What is wrong with a text before it is sent. The text is shown and not sent; nothing is cut. */
export function mistakeIn(field: Field, text: string): string | undefined {
  if (!isTextField(field)) return undefined;
  if (field === 'title' && text.trim() === '') return 'Give the post a title.';
  const excess = charactersOf(text) - LIMITS[field];
  return excess > 0
    ? `${excess} over the ${number(LIMITS[field])}-character limit. Shorten it to save.`
    : undefined;
}

/** The only account is chosen by default. */
export function onlyAccount(accounts: readonly SocialAccount[]): SocialAccount | undefined {
  const [only, ...others] = accounts.filter(({ status }) => status === 'connected');
  return others.length === 0 ? only : undefined;
}

export interface PostChange {
  title?: string;
  caption?: string | null;
  hashtags?: string | null;
  social_account_id?: string | null;
  cover_index?: number | null;
  cover_ms?: number | null;
  labels?: string[];
}

/** These fields as the API takes them. */
export function changeOf(fields: Partial<Fields>, names: Iterable<Field>): PostChange {
  const change: PostChange = {};
  for (const name of names) {
    const text = fields[name] ?? '';
    if (name === 'title') change.title = text;
    else if (name === 'labels') change.labels = labelIdsOf({ labels: text });
    else if (name === 'cover_index' || name === 'cover_ms') change[name] = text === '' ? null : Number(text);
    else change[name] = text === '' ? null : text;
  }
  return change;
}

/** For the first save, which needs a title: what is not named is left out there. */
export function creationOf(fields: Fields, names: readonly Field[], fallbackTitle: string) {
  const given = names.filter((name) => fields[name] !== '').map((name) => [name, fields[name]]);
  return { title: fallbackTitle, ...(Object.fromEntries(given) as Partial<Fields>) };
}

/** The first save as the API takes it. An empty field is not in it. */
export function bodyOf({ title, ...fields }: { title: string } & Partial<Fields>) {
  const names = FIELDS.filter((name) => name !== 'title' && name in fields);
  return { title, ...(changeOf(fields, names) as Created) };
}

/** Without nulls. */
type Created = { [K in keyof PostChange]: NonNullable<PostChange[K]> };
