// Uploads in parts, on the wire.
import { type Static, Type } from 'typebox';
import { ref, timestamp, uuid } from '../../request/schema.js';
import { UploadGrantRef } from '../schema.js';
import { MAX_URLS } from './lengths.js';

const UploadPart = Type.Object({
  number: Type.Integer({ description: 'Part number, starting at 1' }),
  upload_url: Type.String({
    description:
      'PUT the part here. It must have its exact length. Send its MD5 hash as Content-MD5 to have the bytes checked.',
  }),
});

const FIELDS = {
  object_key: Type.String(),
  upload_id: uuid('Id of this upload'),
  part_size: Type.Integer({ description: 'Size of each part in bytes; the last part has the rest' }),
  expires_at: timestamp('When the upload expires unless it is complete: 7 days after it began'),
  urls_expire_at: timestamp('When these URLs expire; GET the upload for new ones'),
  parts: Type.Array(UploadPart, {
    description: `The next parts to send, at most ${MAX_URLS}; GET the upload with \`from\` for the parts after them`,
  }),
};

const EXAMPLE = {
  object_key:
    'orgs/019a8b1e-0000-7000-8000-1b2c3d4e5f60/posts/019a8b1e-6c00-7000-8000-3f2a9c1d7e55/videos/film-k3v9x2m1a7.mp4',
  upload_id: '019a8b1e-7d00-7000-8000-5e4d3c2b1a09',
  part_size: 8388608,
  expires_at: '2030-12-08T17:00:00Z',
  urls_expire_at: '2030-12-01T19:00:00Z',
  parts: [{ number: 2, upload_url: 'http://localhost:3000/storage/parts/orgs/…' }],
};

export const PartsGrant = Type.Object(FIELDS, {
  $id: 'PartsGrant',
  description: 'Where to upload the file in parts',
  examples: [
    { ...EXAMPLE, parts: [{ number: 1, upload_url: 'http://localhost:3000/storage/parts/orgs/…' }] },
  ],
});
export type PartsGrant = Static<typeof PartsGrant>;
const PartsGrantRef = ref<PartsGrant>('PartsGrant');

/** What the request of an upload returns. */
export const AnyGrant = Type.Union([UploadGrantRef, PartsGrantRef], {
  description: 'Where to upload the file: one URL, or with `parts: true` one for each part',
  examples: [
    {
      upload_url: 'http://localhost:3000/storage/uploads/orgs/…',
      object_key: EXAMPLE.object_key,
      expires_at: EXAMPLE.urls_expire_at,
    },
  ],
});

export const Upload = Type.Object(
  {
    ...FIELDS,
    arrived: Type.Array(Type.Integer(), { description: 'The numbers of the parts that have arrived' }),
  },
  { $id: 'Upload', examples: [{ ...EXAMPLE, arrived: [1] }] },
);
export type Upload = Static<typeof Upload>;
export const UploadRef = ref<Upload>('Upload');

export const NamedUpload = Type.Object({ id: Type.String(), upload_id: Type.String() });

export const UploadQuery = Type.Object(
  {
    from: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: 1,
        description: 'The number of the first part to return a URL for',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The body may be omitted. */
export const CompleteParts = Type.Unsafe<Record<string, never> | null>({
  type: ['object', 'null'],
  properties: {},
  additionalProperties: false,
  examples: [{}],
});
