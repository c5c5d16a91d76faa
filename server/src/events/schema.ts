// Events on the wire.
import { type Static, type TSchema, Type } from 'typebox';
import { choice, ref, timestamp } from '../request/schema.js';
import { EVENT_DATA } from './data.js';
import { EVENT_ID } from './ids.js';

export type EventType = keyof typeof EVENT_DATA;

export const EVENT_TYPES = Object.keys(EVENT_DATA) as EventType[];

/** What an event of this type says. */
export type EventDataOf<T extends EventType> = Static<(typeof EVENT_DATA)[T]>;
export type EventData = { [T in EventType]: EventDataOf<T> }[EventType];

/** `post.publish_failed` → `PostPublishFailed` */
export const nameOfType = (type: string): string =>
  type.replaceAll(/(?:^|[._])(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** What events of each type say, by name; webhook messages say the same. */
export const EventDataSchemas: TSchema[] = EVENT_TYPES.map((type) => {
  const schema = EVENT_DATA[type];
  const { examples: _, ...fields } = schema;
  return Type.Unsafe({ ...fields, $id: nameOfType(type) });
});

const EXAMPLE = { id: 'evt_00000001z', created_at: '2030-12-01T18:00:05Z' };

export const EventSchemas: TSchema[] = EVENT_TYPES.map((type) =>
  Type.Object(
    {
      id: Type.String({ description: 'Sorts in the order of the events; `after` takes it' }),
      type: choice([type], { description: 'What happened' }),
      created_at: timestamp('When it happened'),
      data: ref(nameOfType(type)),
    },
    { $id: `${nameOfType(type)}Event` },
  ),
);

type EventOf<T extends EventType> = { id: string; type: T; created_at: string; data: EventDataOf<T> };
export type Event = { [T in EventType]: EventOf<T> }[EventType];

/** An event of any type; `type` says which. */
export const Event = Type.Unsafe<Event>({
  $id: 'Event',
  oneOf: EVENT_TYPES.map((type) => ref(`${nameOfType(type)}Event`)),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(
      EVENT_TYPES.map((type) => [type, `#/components/schemas/${nameOfType(type)}Event`]),
    ),
  },
  examples: [{ ...EXAMPLE, type: 'post.published', data: EVENT_DATA['post.published'].examples[0] }],
});
export const EventRef = ref<Event>('Event');

export const EventPage = Type.Object({
  data: Type.Array(EventRef),
  has_more: Type.Boolean({
    description: 'True if more events follow: read on with the last id as `after`',
    examples: [false],
  }),
  gap: Type.Boolean({
    description:
      'True if events after `after` have expired, so that you have missed some: fetch your data again, then read on. Always false without `after`.',
    examples: [false],
  }),
});
export type EventPage = Static<typeof EventPage>;

export const MAX_EVENTS = 100;

export const ListEvents = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        pattern: EVENT_ID,
        'x-rule': 'must be the id of an event',
        description:
          'Only events after this one. `evt_000000000` comes before every event. An id that was never issued, or was lost when a backup was restored, returns 410 `cursor_unknown`.',
        examples: ['evt_00000001z'],
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_EVENTS, default: MAX_EVENTS })),
  },
  { additionalProperties: false },
);
export type ListEvents = Static<typeof ListEvents>;
