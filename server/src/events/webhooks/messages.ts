// What endpoints receive, by type: the body of each message as a schema, with an example.
import { type TSchema, Type } from 'typebox';
import { choice, timestamp, uuid } from '../../request/schema.js';
import { EVENT_DATA } from '../data.js';
import { EVENT_TYPES, nameOfType } from '../schema.js';

const ID = 'msg_5f2a9c1d7e554b0c9a8b7c6d5e4f3021';
const TIMESTAMP = '2030-12-01T18:00:05Z';

/** The fields of every message, whatever its type. */
const envelope = {
  id: Type.String({ description: 'The header `webhook-id`: the same in every attempt to deliver it' }),
  timestamp: timestamp('When it happened'),
};

const Envelope = Type.Object({
  ...envelope,
  event_id: Type.String({ description: 'Id of the event, as in the list of events' }),
});

const local = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** `webhook.test` is no event: it is sent on request, and has no `event_id`. */
const TEST = {
  type: 'webhook.test',
  summary: 'A member or a key asked for a test message',
  name: 'WebhookTestMessage',
  schema: Type.Object({
    ...envelope,
    type: choice(['webhook.test'], { description: 'Not an event' }),
    data: Type.Object({ webhook_id: uuid('The webhook that is tested') }, { description: 'What is tested' }),
  }) as TSchema,
  example: {
    id: ID,
    type: 'webhook.test',
    timestamp: TIMESTAMP,
    data: { webhook_id: '019a8b1e-9999-7000-8000-7a8b9cadbecf' },
  },
};

export const MESSAGES: readonly (typeof TEST)[] = [
  ...EVENT_TYPES.map((type) => ({
    type,
    summary: EVENT_DATA[type].description,
    name: `${nameOfType(type)}Message`,
    schema: Type.Unsafe({
      allOf: [
        local('WebhookEnvelope'),
        {
          type: 'object',
          required: ['type', 'data'],
          properties: {
            type: choice([type], { description: 'What happened' }),
            data: local(nameOfType(type)),
          },
        },
      ],
    }) as TSchema,
    example: {
      id: ID,
      type,
      timestamp: TIMESTAMP,
      data: EVENT_DATA[type].examples[0] as (typeof TEST)['example']['data'],
      event_id: 'evt_00000001z',
    },
  })),
  TEST,
];

export const MESSAGE_SCHEMAS: Readonly<Record<string, TSchema>> = {
  WebhookEnvelope: Envelope,
  ...Object.fromEntries(MESSAGES.map(({ name, schema }) => [name, schema])),
};
