// The `webhooks` section of the OpenAPI document: what this service sends to the endpoints of its users, one entry for each type.
import { MESSAGE_SCHEMAS, MESSAGES } from '../events/webhooks/messages.js';
import type { Shareable } from './openapi-components.js';

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** Standard Webhooks. */
const HEADERS = {
  'webhook-id': header(
    'webhook-id',
    'The id of the message, the same in every attempt: remember those you have seen',
  ),
  'webhook-timestamp': header('webhook-timestamp', 'When this attempt was made, in seconds since 1970'),
  'webhook-signature': header(
    'webhook-signature',
    'One or more signatures, separated by spaces: `v1,` and the HMAC-SHA256 of `id.timestamp.body` with the secret, in Base64',
  ),
};

const ANSWERS = {
  MessageTaken: {
    description: 'Any 2xx within 15 seconds: the message is delivered. After anything else it is sent again.',
  },
  EndpointGone: { description: 'The webhook is disabled' },
};

export function addWebhooks<T extends Shareable>(document: T): T {
  const components = document.components as Record<string, object> | undefined;
  const webhooks = MESSAGES.map(({ type, summary, name, example }) => [
    type,
    {
      post: {
        operationId: `on${name.replace(/Message$/, '')}`,
        tags: ['Webhooks'],
        summary,
        security: [],
        parameters: Object.keys(HEADERS).map((one) => ({ $ref: `#/components/parameters/${one}` })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` }, example } },
        },
        responses: {
          '2XX': { $ref: '#/components/responses/MessageTaken' },
          410: { $ref: '#/components/responses/EndpointGone' },
        },
      },
    },
  ]);
  return {
    ...document,
    webhooks: Object.fromEntries(webhooks),
    components: {
      ...components,
      schemas: { ...components?.schemas, ...MESSAGE_SCHEMAS },
      parameters: { ...components?.parameters, ...HEADERS },
      responses: { ...components?.responses, ...ANSWERS },
    },
  };
}
