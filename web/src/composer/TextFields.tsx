import { Anchor, Button, Input, Select, Skeleton, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { disconnectedLabel } from '../accounts/disconnected.js';
import { useDisconnectedAccount } from '../accounts/useDisconnected.js';
import { accountsQuery } from '../api/queries.js';
import { Snippets } from '../snippets/Snippets.js';
import { number } from '../text/numbers.js';
import { GrowingTextarea } from '../ui/GrowingTextarea.js';
import { ProblemNote } from '../ui/Note.js';
import { DeferredRender } from '../ui/useSlices.js';
import { type Draft, useDraft } from './draft.js';
import classes from './Editor.module.css';
import { type Field, labelIdsOf, onlyAccount, type TextField } from './fields.js';
import { missingHashText, withHashes } from './hashtags.js';
import { insertSnippet } from './insert-snippet.js';
import { type Counter, counterOf, type Mode } from './sent-text.js';
import '../ui/overlays.css';
import { LabelPicker } from '../labels/LabelPicker.js';

const ORDER = ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[];

export const idOf = (field: Field): string => `field-${field}`;

interface Props {
  draft: Draft;
  mode: Mode;
  /** The texts can be read and copied, and nothing is changed. */
  isReadOnly: boolean;
  /** Hashtags of the account, shown until the first save fills them in. */
  suggestedHashtags: string;
}

export function TextFields({ draft, mode, isReadOnly, suggestedHashtags }: Props) {
  const { fields: own, mistakes, postType, hasOwnHashtags } = useDraft(draft);
  const isSuggested = own.hashtags === '' && !hasOwnHashtags && suggestedHashtags !== '';
  const fields = isSuggested ? { ...own, hashtags: suggestedHashtags } : own;
  const text = (field: TextField, more?: ReactNode) => ({
    id: idOf(field),
    value: fields[field],
    readOnly: isReadOnly,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      draft.set(field, currentTarget.value),
    onFocus: () => isReadOnly || draft.send({ kind: 'focused', field }),
    onBlur: () => draft.blur(),
    description: (
      <CountLine counter={counterOf(field, { postType, mode, fields })} isQuiet={field in mistakes}>
        {more}
      </CountLine>
    ),
    inputWrapperOrder: ORDER,
    classNames: { wrapper: classes.field ?? '' },
    error: mistakes[field] ?? null,
  });
  const snippets = (kind: 'caption' | 'hashtags') =>
    !isReadOnly && (
      <Snippets
        kind={kind}
        text={fields[kind]}
        onInsert={(snippet) => insertSnippet(draft, kind, fields[kind], snippet)}
      />
    );
  return (
    <>
      <TextInput label="Title" placeholder="What’s it about?" autoComplete="off" {...text('title')} />
      <div className={classes.withMenu}>
        <GrowingTextarea
          label="Caption"
          placeholder="Write a caption"
          minRows={6}
          maxRows={16}
          {...text('caption')}
        />
        {snippets('caption')}
      </div>
      <div className={classes.withMenu}>
        <GrowingTextarea
          label="Hashtags"
          placeholder="#maps #outdoors"
          minRows={2}
          maxRows={6}
          {...text(
            'hashtags',
            <>
              <HashtagHint
                text={fields.hashtags}
                onChange={isReadOnly ? undefined : (mended) => draft.set('hashtags', mended)}
              />
              {isSuggested && '. Filled in from your account'}
            </>,
          )}
        />
        {snippets('hashtags')}
      </div>
      {/* A list to choose from measures its place when it is drawn. */}
      <DeferredRender by={1} meanwhile={<Skeleton height={58} />}>
        <div inert={isReadOnly}>
          <AccountField draft={draft} />
        </div>
      </DeferredRender>
      <div inert={isReadOnly}>
        <PostLabels draft={draft} />
      </div>
    </>
  );
}

interface HashtagHintProps {
  text: string;
  onChange: ((mended: string) => void) | undefined;
}

/** Warns about words without #, which viewers cannot tap. The writer decides. */
function HashtagHint({ text, onChange }: HashtagHintProps) {
  const plain = missingHashText(text);
  if (plain === null) return null;
  const mended = withHashes(text);
  return (
    <>
      <span role="status">. {plain} </span>
      {onChange && mended !== text && (
        <Button size="compact-xs" variant="default" onClick={() => onChange(mended)}>
          Add #
        </Button>
      )}
    </>
  );
}

function AccountField({ draft }: { draft: Draft }) {
  const { id: postId, fields, mistakes } = useDraft(draft);
  const accounts = useQuery(accountsQuery);
  const suggested = postId === undefined ? onlyAccount(accounts.data ?? [])?.id : undefined;
  const chosen = fields.social_account_id || suggested || '';
  const disconnected = useDisconnectedAccount(postId, chosen);
  if (accounts.isPending) return <Skeleton height={58} />;
  if (accounts.isError) return <ProblemNote query={accounts} />;
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
  if (disconnected)
    options.push({
      value: disconnected.id,
      label: disconnectedLabel(disconnected.username),
      disabled: false,
    });
  const hashtagsOf = (id: string) =>
    accounts.data.find((account) => account.id === id)?.default_hashtags ?? '';
  const choose = (id: string) => {
    draft.set('social_account_id', id);
    // Those of the account before, or none: the member has typed no others.
    const isUntouched = fields.hashtags === hashtagsOf(chosen);
    const hashtags = hashtagsOf(id);
    if (draft.isNew && isUntouched && hashtags !== fields.hashtags) draft.set('hashtags', hashtags);
  };
  return (
    <Select
      id="field-social_account_id"
      label="Account"
      placeholder="Choose an account"
      data={options}
      value={chosen === '' ? null : chosen}
      onChange={(id) => choose(id ?? '')}
      allowDeselect={false}
      classNames={{ wrapper: classes.field ?? '' }}
      error={mistakes.social_account_id ?? null}
    />
  );
}

const COLOURS = { warning: 'var(--publishing-ink)', error: 'var(--mantine-color-error)' } as const;

interface CountLineProps {
  counter: Counter;
  /** The field says itself what is wrong. */
  isQuiet: boolean;
  children?: ReactNode;
}

/** How long a text is, of how much, and what becomes of it. */
function CountLine({ counter: { count, note, tone }, isQuiet, children }: CountLineProps) {
  return (
    <>
      <Text span inherit className="figures" {...(tone ? { c: COLOURS[tone], fw: 600 } : {})}>
        {count && `${number(count.now)} of ${number(count.most)} ${count.what}`}
        {count && note && !isQuiet && '. '}
        {!isQuiet && note}
      </Text>
      {children}
    </>
  );
}

/** The labels of the post, saved with its text. */
function PostLabels({ draft }: { draft: Draft }) {
  const { fields, mistakes } = useDraft(draft);
  return (
    <Input.Wrapper label="Labels" labelElement="div" error={mistakes.labels ?? null}>
      <LabelPicker value={labelIdsOf(fields)} onChange={(ids) => draft.set('labels', ids.join(' '))} />
    </Input.Wrapper>
  );
}
