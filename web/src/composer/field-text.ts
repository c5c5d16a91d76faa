import type { SocialAccount } from '@airdate/sdk/core';
import type { Label } from '../labels/label.js';
import { clockOf } from './clock.js';
import { type Field, isTextField } from './fields.js';

export const FIELD_LABELS: Record<Field, string> = {
  title: 'Title',
  caption: 'Caption',
  hashtags: 'Hashtags',
  social_account_id: 'Account',
  cover_index: 'Cover',
  cover_ms: 'Cover',
  labels: 'Labels',
};

/** What a field has, for a reader; empty if it has nothing. */
export function shownText(
  field: Field,
  text: string,
  accounts: readonly SocialAccount[],
  labels: readonly Label[],
): string {
  if (isTextField(field)) return text;
  if (field === 'cover_index') return `Slide ${Number(text) + 1}`;
  if (field === 'cover_ms') return text === '' ? 'First frame' : clockOf(Number(text));
  if (text === '') return '';
  if (field === 'labels')
    return text
      .split(' ')
      .map((id) => labels.find((label) => label.id === id)?.name ?? 'A deleted label')
      .join(', ');
  const account = accounts.find(({ id }) => id === text);
  return account ? `@${account.username}` : 'Disconnected account';
}
