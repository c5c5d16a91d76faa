// Assets on the wire.
import { type Static, Type } from 'typebox';
import { choice, nullable, ref, timestamp } from '../request/schema.js';
import { MAX_SLIDES, UPLOAD_TYPES } from './limits.js';

const objectKey = (description?: string) =>
  Type.String({ minLength: 1, maxLength: 512, ...(description === undefined ? {} : { description }) });

const EXAMPLE_KEY =
  'orgs/019a8b1e-0000-7000-8000-1b2c3d4e5f60/posts/019a8b1e-6c00-7000-8000-3f2a9c1d7e55/slides/cover-k3v9x2m1a7.png';

export const Asset = Type.Object(
  {
    object_key: Type.String({ description: 'Storage key of the file' }),
    url: Type.String({ description: 'Signed download URL, valid for an hour' }),
    content_type: Type.String({ description: 'MIME type of the file' }),
    filename: Type.String({ description: 'File name given in the upload request' }),
    position: Type.Integer({ description: 'Position in the carousel, starting at 1' }),
    size: Type.Integer({ description: 'Size in bytes' }),
    width: Type.Integer(),
    height: Type.Integer(),
    duration_ms: nullable(
      Type.Integer({ description: 'Length of a video in milliseconds; null for slides' }),
    ),
    codec: nullable(Type.String({ description: 'Codec of a video; null for slides' })),
    thumbnail_url: nullable(Type.String({ description: 'Signed URL of the thumbnail; null for videos' })),
  },
  {
    $id: 'Asset',
    examples: [
      {
        object_key: EXAMPLE_KEY,
        url: 'http://localhost:3000/storage/orgs/…',
        content_type: 'image/png',
        filename: 'cover.png',
        position: 1,
        size: 184320,
        width: 1080,
        height: 1920,
        duration_ms: null,
        codec: null,
        thumbnail_url: 'http://localhost:3000/storage/thumbnails/orgs/…',
      },
    ],
  },
);
export type Asset = Static<typeof Asset>;
export const AssetRef = ref<Asset>('Asset');

const origin = (description: string) => choice(['upload', 'address'], { description });

export const RejectedAsset = Type.Object({
  object_key: Type.String(),
  filename: Type.String(),
  reason: Type.String({ description: 'Why the file was rejected' }),
  position: Type.Integer({ description: 'Where it would be in the carousel, starting at 1' }),
  origin: origin(
    '`upload`: a client sent it; `address`: a worker fetched it, and the post is not published until it is removed or replaced',
  ),
});
export type RejectedAsset = Static<typeof RejectedAsset>;

export const PendingAsset = Type.Object(
  {
    object_key: Type.String(),
    filename: Type.String(),
    expires_at: timestamp(
      'When the file no longer counts as one of the post: its upload URL expires, or a worker has not fetched it by then; for an upload in parts, when it expires',
    ),
    upload_id: nullable(Type.String({ description: 'Id of the upload in parts; null for any other upload' })),
    origin: origin(
      '`upload`: a client sends it; `address`: a worker fetches it, and the post is not published without it',
    ),
  },
  {
    examples: [
      {
        object_key: EXAMPLE_KEY,
        filename: 'cover.png',
        expires_at: '2030-12-01T19:00:00Z',
        upload_id: null,
        origin: 'address',
      },
    ],
  },
);
export type PendingAsset = Static<typeof PendingAsset>;

export const AssetList = Type.Object(
  {
    data: Type.Array(AssetRef, { description: 'Uploaded files, in order' }),
    pending: Type.Array(PendingAsset, {
      description:
        'Requested uploads and imports that have not arrived yet; each counts as a file of the post until it expires or is rejected',
      examples: [[]],
    }),
    rejected: Type.Array(RejectedAsset, {
      description: 'Recently rejected uploads, and all rejected imports; DELETE removes one from this list',
      examples: [[]],
    }),
  },
  { $id: 'AssetList', description: 'The files of the post' },
);
export type AssetList = Static<typeof AssetList>;
export const AssetListRef = ref<AssetList>('AssetList');

/** The body may be omitted. */
export const DuplicatePost = nullable(Type.Object({}, { additionalProperties: false, examples: [{}] }));

export const RequestUpload = Type.Object(
  {
    filename: Type.String({ minLength: 1, maxLength: 1024 }),
    content_type: choice(UPLOAD_TYPES),
    content_length: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Size of the file in bytes. If given, the upload must have exactly this length.',
      }),
    ),
    replace: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Video only: replaces the existing video once the new one has arrived',
      }),
    ),
    parts: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Video only: uploads the file in parts, so that a broken connection costs one part. Requires content_length.',
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ filename: 'cover.png', content_type: 'image/png', content_length: 184320 }],
  },
);
export type RequestUpload = Static<typeof RequestUpload>;

export const ImportAsset = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'https URL of the file. It must return the file itself: redirects are not followed.',
    }),
    filename: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'File name; default: the last part of the URL',
      }),
    ),
    replace: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Video only: replaces the existing video once the new one has arrived',
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ url: 'https://example.com/pictures/cover.png', filename: 'cover.png' }],
  },
);
export type ImportAsset = Static<typeof ImportAsset>;

export const UploadGrant = Type.Object(
  {
    upload_url: Type.String({ description: 'PUT the file here, with the same Content-Type' }),
    object_key: Type.String(),
    expires_at: timestamp('When the URL expires'),
  },
  {
    $id: 'UploadGrant',
    description: 'Where to upload the file',
    examples: [
      {
        upload_url: 'http://localhost:3000/storage/uploads/orgs/…',
        object_key: EXAMPLE_KEY,
        expires_at: '2030-12-01T19:00:00Z',
      },
    ],
  },
);
export type UploadGrant = Static<typeof UploadGrant>;
export const UploadGrantRef = ref<UploadGrant>('UploadGrant');

export const OrderAssets = Type.Object(
  {
    order: Type.Array(objectKey(), {
      minItems: 1,
      maxItems: MAX_SLIDES,
      uniqueItems: true,
      description: 'The keys of all uploaded slides, in the new order',
    }),
  },
  { additionalProperties: false, examples: [{ order: [EXAMPLE_KEY] }] },
);
export type OrderAssets = Static<typeof OrderAssets>;

export const NamedAsset = Type.Object(
  { object_key: objectKey('The key from the upload grant') },
  { additionalProperties: false, examples: [{ object_key: EXAMPLE_KEY }] },
);
export type NamedAsset = Static<typeof NamedAsset>;
