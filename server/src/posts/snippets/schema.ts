// Snippets on the wire.
import { type Static, Type } from 'typebox';
import { shortListParameters } from '../../request/pagination.js';
import { choice, ref, timestamp, uuid } from '../../request/schema.js';
import { MAX_LENGTHS } from '../schema.js';

export const SNIPPET_KINDS = ['caption', 'hashtags'] as const;

export const MAX_SNIPPETS = 200;

const name = () =>
  Type.String({
    minLength: 1,
    maxLength: 50,
    description: '1 to 50 characters, unique among the snippets of its kind regardless of case',
  });

/** The limit of the longest field; that of the kind is checked with it. */
const text = () =>
  Type.String({
    minLength: 1,
    maxLength: MAX_LENGTHS.caption,
    description: `At most ${MAX_LENGTHS.caption} characters for a caption and ${MAX_LENGTHS.hashtags} for hashtags, as in posts`,
  });

const kind = () => choice(SNIPPET_KINDS, { description: 'The field of posts that the text is for' });

export const Snippet = Type.Object(
  {
    id: uuid(),
    kind: kind(),
    name: Type.String(),
    text: Type.String(),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    $id: 'Snippet',
    examples: [
      {
        id: '019a8b1e-3333-7000-8000-6e7f80911223',
        kind: 'hashtags',
        name: 'Outdoors',
        text: '#maps #outdoors #hiking',
        created_at: '2030-11-15T09:00:00Z',
        updated_at: '2030-11-15T09:00:00Z',
      },
    ],
  },
);
export type Snippet = Static<typeof Snippet>;
export const SnippetRef = ref<Snippet>('Snippet');

export const CreateSnippet = Type.Object(
  { kind: kind(), name: name(), text: text() },
  {
    additionalProperties: false,
    examples: [{ kind: 'hashtags', name: 'Outdoors', text: '#maps #outdoors #hiking' }],
  },
);
export type CreateSnippet = Static<typeof CreateSnippet>;

export const UpdateSnippet = Type.Object(
  { name: Type.Optional(name()), text: Type.Optional(text()) },
  { additionalProperties: false, examples: [{ text: '#maps #outdoors' }] },
);
export type UpdateSnippet = Static<typeof UpdateSnippet>;

export const ListSnippets = Type.Object(
  { kind: Type.Optional(kind()), ...shortListParameters(MAX_SNIPPETS) },
  { additionalProperties: false },
);
export type ListSnippets = Static<typeof ListSnippets>;
