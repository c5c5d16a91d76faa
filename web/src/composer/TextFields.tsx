import { Anchor, Select, Skeleton, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accountsQuery } from '../api/queries.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import type { Draft } from './draft.js';
import { useDraft } from './drafts.js';
import classes from './Editor.module.css';
import { charactersOf, type Field, LIMITS, onlyAccount } from './fields.js';

const ORDER = ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[];

export const idOf = (field: Field): string => `field-${field}`;

export function TextFields({ draft }: { draft: Draft }) {
  const { fields, mistakes } = useDraft(draft);
  const text = (field: Exclude<Field, 'social_account_id'>) => ({
    id: idOf(field),
    value: fields[field],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      draft.set(field, currentTarget.value),
    onFocus: () => draft.focus(field),
    onBlur: () => draft.blur(),
    description: <Count text={fields[field]} limit={LIMITS[field]} />,
    inputWrapperOrder: ORDER,
    classNames: { wrapper: classes.field ?? '' },
    error: mistakes[field] ?? null,
  });
  return (
    <>
      <TextInput label="Title" placeholder="What’s it about?" autoComplete="off" {...text('title')} />
      <Textarea
        label="Caption"
        placeholder="Write a caption"
        autosize
        minRows={6}
        maxRows={16}
        {...text('caption')}
      />
      <Textarea
        label="Hashtags"
        placeholder="#maps #outdoors"
        autosize
        minRows={2}
        maxRows={6}
        {...text('hashtags')}
        description={
          <>
            <Count text={fields.hashtags} limit={LIMITS.hashtags} />
            <HashtagHint text={fields.hashtags} />
          </>
        }
      />
      <AccountField draft={draft} />
    </>
  );
}

/** Warns about a word without #, which viewers cannot tap. The writer decides. */
function HashtagHint({ text }: { text: string }) {
  const plain = text.split(/[\s,]+/).find((word) => word !== '' && !word.startsWith('#'));
  return plain === undefined ? null : (
    <span role="status">. “{plain}” has no #, so it won’t be a hashtag.</span>
  );
}

function Count({ text, limit }: { text: string; limit: number }) {
  const count = charactersOf(text);
  return (
    <Text
      span
      inherit
      className="figures"
      {...(count > limit ? { c: 'var(--mantine-color-error)', fw: 600 } : {})}
    >
      {count.toLocaleString('en')} of {limit.toLocaleString('en')} characters
    </Text>
  );
}

function AccountField({ draft }: { draft: Draft }) {
  const { id: postId, fields, mistakes } = useDraft(draft);
  const accounts = useQuery(accountsQuery);
  const suggested = postId === undefined ? onlyAccount(accounts.data ?? [])?.id : undefined;
  const chosen = fields.social_account_id || suggested || '';
  if (accounts.isPending) return <Skeleton height={58} />;
  if (accounts.isError) return <ProblemNote error={accounts.error} onRetry={() => void accounts.refetch()} />;
  if (accounts.data.length === 0 && chosen === '')
    return (
      <Text size="sm">
        No accounts connected yet.{' '}
        <Anchor component={Link} to="/accounts" inherit>
          Connect one
        </Anchor>{' '}
        to publish this post.
      </Text>
    );
  const options = accounts.data.map(({ id, username, display_name, status }) => ({
    value: id,
    label: `${display_name ?? username} (@${username})${status === 'connected' ? '' : ': reconnect first'}`,
    disabled: status !== 'connected' && id !== chosen,
  }));
  if (chosen !== '' && !options.some(({ value }) => value === chosen))
    options.push({ value: chosen, label: 'A disconnected account', disabled: false });
  return (
    <Select
      id={idOf('social_account_id')}
      label="Account"
      placeholder="Where to post it"
      data={options}
      value={chosen === '' ? null : chosen}
      onChange={(id) => draft.set('social_account_id', id ?? '')}
      allowDeselect={false}
      classNames={{ wrapper: classes.field ?? '' }}
      error={mistakes.social_account_id ?? null}
    />
  );
}
