// Labels on the wire.
import { type Static, Type } from 'typebox';
import { shortListParameters } from '../../request/pagination.js';
import { choice, ref, timestamp, uuid } from '../../request/schema.js';

export const COLOURS = ['grey', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple'] as const;

export const MAX_LABELS = 100;
export const MAX_LABEL_NAME = 50;
export const MAX_LABELS_OF_POST = 10;

const name = () =>
  Type.String({
    minLength: 1,
    maxLength: MAX_LABEL_NAME,
    description: `1 to ${MAX_LABEL_NAME} characters, unique in the organization regardless of case`,
  });

export const Label = Type.Object(
  { id: uuid(), name: Type.String(), colour: choice(COLOURS), created_at: timestamp() },
  {
    $id: 'Label',
    examples: [
      {
        id: '019a8b1e-4444-7000-8000-5d6e7f809112',
        name: 'Campaign: maps',
        colour: 'teal',
        created_at: '2030-11-15T09:00:00Z',
      },
    ],
  },
);
export type Label = Static<typeof Label>;
export const LabelRef = ref<Label>('Label');

export const CreateLabel = Type.Object(
  { name: name(), colour: choice(COLOURS) },
  { additionalProperties: false, examples: [{ name: 'Campaign: maps', colour: 'teal' }] },
);
export type CreateLabel = Static<typeof CreateLabel>;

export const UpdateLabel = Type.Object(
  { name: Type.Optional(name()), colour: Type.Optional(choice(COLOURS)) },
  { additionalProperties: false, examples: [{ name: 'Campaign: more maps', colour: 'green' }] },
);
export type UpdateLabel = Static<typeof UpdateLabel>;

/** The labels in a request that creates or changes a post. */
export const postLabels = Type.Optional(
  Type.Array(uuid(), {
    maxItems: MAX_LABELS_OF_POST,
    uniqueItems: true,
    description: `Ids of at most ${MAX_LABELS_OF_POST} labels; they replace those that the post has`,
  }),
);

export const ListLabels = Type.Object(shortListParameters(MAX_LABELS), { additionalProperties: false });
