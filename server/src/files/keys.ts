// The names of things in the store. An asset has one key; what a client uploads for it and the thumbnail made of it lie
// beside, under names made of that key.

export const uploadKey = (objectKey: string): string => `uploads/${objectKey}`;
export const thumbnailKey = (objectKey: string): string => `thumbnails/${objectKey}.webp`;

/** Everything that may exist because of this object. */
export const keysAround = (objectKey: string): string[] => [
  objectKey,
  uploadKey(objectKey),
  thumbnailKey(objectKey),
];

/** Somebody else's files in our bucket or folder are none of our business. */
export const isOurs = (key: string): boolean => OURS.test(key);

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const OURS = new RegExp(
  `^(?:uploads/|thumbnails/)?orgs/${ID}/posts/${ID}/(?:slides|videos)/[A-Za-z0-9_-]+\\.(?:png|jpg|mp4|webm|mov)(?:\\.webp)?$`,
);

/** The organization an object belongs to; its key says it. */
export const orgOf = (objectKey: string): string => objectKey.split('/')[1] ?? '';

/** Which asset's object, upload or thumbnail this key is. */
export function assetOf(key: string): { objectKey: string; part: 'object' | 'upload' | 'thumbnail' } {
  if (key.startsWith('uploads/')) return { objectKey: key.slice('uploads/'.length), part: 'upload' };
  if (key.startsWith('thumbnails/'))
    return { objectKey: key.slice('thumbnails/'.length, -'.webp'.length), part: 'thumbnail' };
  return { objectKey: key, part: 'object' };
}

const LONGEST_NAME = 80;

/** A name that is safe in paths, addresses and headers and is still recognized by who gave it. */
export function safeName(filename: string, unique: string, ending: string): string {
  const last = filename.split(/[/\\]/).at(-1) ?? '';
  const stem = last
    .replace(/\.[A-Za-z0-9]{1,5}$/, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, LONGEST_NAME)
    .replace(/-+$/, '');
  return `${stem || 'file'}-${unique}.${ending}`;
}
