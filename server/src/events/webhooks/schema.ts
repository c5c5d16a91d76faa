// Webhooks on the wire.
import { type Static, Type } from 'typebox';
import { paginationParameters } from '../../request/pagination.js';
import { choice, nullable, ref, timestamp, uuid } from '../../request/schema.js';
import { EVENT_TYPES } from '../schema.js';

export const MAX_WEBHOOKS = 20;

/** Replaced secrets that still sign. Each makes every message longer. */
export const MAX_PREVIOUS_SECRETS = 5;

/** How far back lost events can be sent again; they are kept as long. */
export const RECOVER_DAYS = 30;

const fields = {
  id: uuid(),
  url: Type.String({ description: 'Where events are sent' }),
  description: nullable(Type.String()),
  types: nullable(
    Type.Array(choice(EVENT_TYPES), { description: 'The event types that are sent; null: all' }),
  ),
  enabled: Type.Boolean({ description: 'False: nothing is sent, and events are not queued' }),
  disabled_reason: nullable(
    choice(['gone', 'failing', 'key_ended'], {
      description:
        'Why the service disabled it: `gone`: the endpoint returned 410; `failing`: every delivery failed for five days; `key_ended`: the key that it was created, pointed at its URL, enabled, or got its secret with was revoked or has expired. Null if the webhook is enabled, or if a caller disabled it.',
    }),
  ),
  disabled_at: nullable(timestamp()),
  failing_since: nullable(
    timestamp('The first failure since the last success; null if the last request succeeded'),
  ),
  previous_secret_until: nullable(
    timestamp(
      'After a rotation: until then, messages carry a signature with the previous secret as well. Secrets that were replaced before it keep their own 24 hours.',
    ),
  ),
  created_at: timestamp(),
  updated_at: timestamp(),
};

const example = {
  id: '019a8b1e-9999-7000-8000-7a8b9cadbecf',
  url: 'https://example.com/hooks/airdate',
  description: 'Our newsroom',
  types: ['post.published', 'post.publish_failed'],
  enabled: true,
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  previous_secret_until: null,
  created_at: '2030-11-15T09:00:00Z',
  updated_at: '2030-11-15T09:00:00Z',
};

export const Webhook = Type.Object(fields, { $id: 'Webhook', examples: [example] });
export type Webhook = Static<typeof Webhook>;
export const WebhookRef = ref<Webhook>('Webhook');

export const NewWebhook = Type.Object(
  {
    ...fields,
    secret: Type.String({ description: 'Verifies the signatures of messages. It is shown only once.' }),
  },
  {
    $id: 'NewWebhook',
    examples: [{ ...example, secret: 'whsec_RXhhbXBsZUV4YW1wbGVFeGFtcGxlRXhhbXBsZUV4YW0=' }],
  },
);
export type NewWebhook = Static<typeof NewWebhook>;
export const NewWebhookRef = ref<NewWebhook>('NewWebhook');

const url = () =>
  Type.String({
    minLength: 1,
    maxLength: 2000,
    description:
      'An https URL of a public host. The operator can allow others (`WEBHOOK_ALLOW`). Redirects are not followed.',
  });
const description = () => nullable(Type.String({ maxLength: 200 }));
const types = () =>
  nullable(
    Type.Array(choice(EVENT_TYPES), {
      minItems: 1,
      maxItems: EVENT_TYPES.length,
      uniqueItems: true,
      description: 'The event types to send; null: all, including those of later versions',
    }),
  );

export const CreateWebhook = Type.Object(
  { url: url(), description: Type.Optional(description()), types: Type.Optional(types()) },
  {
    additionalProperties: false,
    examples: [{ url: example.url, description: example.description, types: example.types }],
  },
);
export type CreateWebhook = Static<typeof CreateWebhook>;

export const UpdateWebhook = Type.Object(
  {
    url: Type.Optional(url()),
    description: Type.Optional(description()),
    types: Type.Optional(types()),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          'True: events from now on are sent; `recover` sends those that happened while the webhook was disabled. False: nothing is sent.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ types: ['post.published'], enabled: true }] },
);
export type UpdateWebhook = Static<typeof UpdateWebhook>;

const attempt = Type.Object({
  at: timestamp(),
  ms: Type.Integer({ description: 'Duration of the attempt in milliseconds' }),
  status: nullable(Type.Integer({ description: 'The HTTP status; null if no response came' })),
  error: nullable(Type.String({ description: 'Why no response came, for people' })),
  response: nullable(Type.String({ description: 'The beginning of the response body, up to 1 KB' })),
});

export const WebhookDelivery = Type.Object(
  {
    id: uuid(),
    message_id: Type.String({
      description: 'The header `webhook-id`: the same in every attempt, and for no other body',
    }),
    event_id: Type.String({ description: 'Id of the event, as in the list of events' }),
    type: Type.String(),
    state: choice(['pending', 'delivered', 'failed'], {
      description:
        'A pending delivery waits for its next attempt, or for an earlier delivery about the same post',
    }),
    next_attempt_at: nullable(
      timestamp(
        'When the next attempt is made; null if the delivery is not pending, or waits for an earlier one about the same post',
      ),
    ),
    attempt_count: Type.Integer({ minimum: 0 }),
    attempts: Type.Array(attempt, { description: 'The newest 20 attempts, newest first' }),
    body: Type.String({ description: 'Body of the message, exactly as it is sent' }),
    created_at: timestamp(),
    settled_at: nullable(timestamp('When the message was delivered, or Airdate gave up on it')),
  },
  {
    $id: 'WebhookDelivery',
    examples: [
      {
        id: '019a8b1e-aaaa-7000-8000-8b9cadbecfd0',
        message_id: 'msg_5f2a9c1d7e554b0c9a8b7c6d5e4f3021',
        event_id: 'evt_00000001z',
        type: 'post.published',
        state: 'delivered',
        next_attempt_at: null,
        attempt_count: 1,
        attempts: [{ at: '2030-12-01T18:00:05Z', ms: 112, status: 200, error: null, response: 'ok' }],
        body: '{"id":"msg_5f2a9c1d7e554b0c9a8b7c6d5e4f3021","type":"post.published","timestamp":"2030-12-01T18:00:05Z","data":{},"event_id":"evt_00000001z"}',
        created_at: '2030-12-01T18:00:05Z',
        settled_at: '2030-12-01T18:00:05Z',
      },
    ],
  },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;
export const WebhookDeliveryRef = ref<WebhookDelivery>('WebhookDelivery');

export const ListDeliveries = Type.Object(
  {
    state: Type.Optional(
      choice(['pending', 'delivered', 'failed'], { description: 'Only deliveries in this state' }),
    ),
    ...paginationParameters,
  },
  { additionalProperties: false },
);
export type ListDeliveries = Static<typeof ListDeliveries>;

export const RecoverWebhook = Type.Object(
  { since: timestamp(`Start of the period whose events are sent; at most ${RECOVER_DAYS} days ago`) },
  { additionalProperties: false, examples: [{ since: '2026-11-14T00:00:00Z' }] },
);
export type RecoverWebhook = Static<typeof RecoverWebhook>;

export const Recovery = Type.Object(
  {
    events: Type.Integer({
      minimum: 0,
      description:
        'How many events have happened since then. Those that the webhook has not received are sent.',
    }),
  },
  { examples: [{ events: 12 }] },
);

export const WebhookTest = Type.Object(
  {
    delivered: Type.Boolean({ description: 'True if the endpoint returned 2xx' }),
    ...attempt.properties,
  },
  {
    $id: 'WebhookTest',
    examples: [
      { delivered: true, at: '2030-12-01T18:00:05Z', ms: 112, status: 200, error: null, response: 'ok' },
    ],
  },
);
export type WebhookTest = Static<typeof WebhookTest>;
export const WebhookTestRef = ref<WebhookTest>('WebhookTest');
