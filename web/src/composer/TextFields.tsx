import { Skeleton, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Snippets } from '../snippets/Snippets.js';
import { DeferredRender } from '../ui/DeferredRender.js';
import { GrowingTextarea } from '../ui/GrowingTextarea.js';
import { AccountField } from './AccountField.js';
import { CountLine } from './CountLine.js';
import type { Draft } from './draft.js';
import { useDraft } from './drafts.js';
import classes from './Editor.module.css';
import type { Field, TextField } from './fields.js';
import { insertSnippet } from './insert-snippet.js';
import { PostLabels } from './PostLabels.js';
import { counterOf, type Mode } from './sent-text.js';

const ORDER = ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[];

export const idOf = (field: Field): string => `field-${field}`;

interface Props {
  draft: Draft;
  mode: Mode;
  /** Hashtags of the account, shown until the first save fills them in. */
  suggestedHashtags: string;
}

export function TextFields({ draft, mode, suggestedHashtags }: Props) {
  const { fields: own, mistakes, postType, hasOwnHashtags } = useDraft(draft);
  const isSuggested = own.hashtags === '' && !hasOwnHashtags && suggestedHashtags !== '';
  const fields = isSuggested ? { ...own, hashtags: suggestedHashtags } : own;
  const text = (field: TextField, more?: ReactNode) => ({
    id: idOf(field),
    value: fields[field],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      draft.set(field, currentTarget.value),
    onFocus: () => draft.focus(field),
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
  const snippets = (kind: 'caption' | 'hashtags') => (
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
              <HashtagHint text={fields.hashtags} />
              {isSuggested && '. Filled in from your account'}
            </>,
          )}
        />
        {snippets('hashtags')}
      </div>
      {/* A list to choose from measures its place when it is drawn. */}
      <DeferredRender by={1} meanwhile={<Skeleton height={58} />}>
        <AccountField draft={draft} />
      </DeferredRender>
      <PostLabels draft={draft} />
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
