// The text fields of a post, and the API's limits. Lengths are counted in characters, not UTF-16 units.
import type { Post, SocialAccount } from '@airdate/sdk';

export type Field = 'title' | 'caption' | 'hashtags' | 'social_account_id';
export type Fields = Readonly<Record<Field, string>>;

export const FIELDS: readonly Field[] = ['title', 'caption', 'hashtags', 'social_account_id'];
export const NO_FIELDS: Fields = { title: '', caption: '', hashtags: '', social_account_id: '' };

export const LIMITS = { title: 500, caption: 2200, hashtags: 500 } as const;

/** The title of a post that was saved before its writer gave it one. */
export const UNTITLED = 'Untitled post';

export const charactersOf = (text: string): number => [...text].length;

/** No field shows the default title, which is sent because the API requires one. */
export const fieldsOf = (post: Post, invented?: string): Fields => ({
  title: post.title === null || post.title === invented ? '' : post.title,
  caption: post.caption ?? '',
  hashtags: post.hashtags ?? '',
  social_account_id: post.social_account_id ?? '',
});

/** What is wrong with a text before it is sent. The text is shown and not sent; nothing is cut. */
export function mistakeIn(field: Field, text: string): string | undefined {
  if (field === 'social_account_id') return undefined;
  if (field === 'title' && text.trim() === '') return 'Give the post a title.';
  const excess = charactersOf(text) - LIMITS[field];
  return excess > 0
    ? `${excess} over the ${LIMITS[field].toLocaleString('en')}-character limit. Shorten it to save.`
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
}

export function changeOf(fields: Fields, names: Iterable<Field>): PostChange {
  const change: PostChange = {};
  for (const name of names) {
    if (name === 'title') change.title = fields.title;
    else change[name] = fields[name] === '' ? null : fields[name];
  }
  return change;
}

/** For the first save, which needs a title: what is not named is left out there. */
export function creationOf(fields: Fields, names: readonly Field[], fallbackTitle: string) {
  const given = names.filter((name) => fields[name] !== '').map((name) => [name, fields[name]]);
  return { title: fallbackTitle, ...(Object.fromEntries(given) as Partial<Fields>) };
}
