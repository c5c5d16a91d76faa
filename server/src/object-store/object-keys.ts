// Names in the store. An asset has one key; its upload and its thumbnail have keys derived from it.

export const uploadKey = (objectKey: string): string => `uploads/${objectKey}`;
export const thumbnailKey = (objectKey: string): string => `thumbnails/${objectKey}.webp`;

const PARTS = 'parts/';

export const partKey = (key: string, number: number): string => `${PARTS}${key}/${number}`;

/** The key of the object that this is a part of; null if it is no part. */
export function keyOfPart(key: string): string | null {
  return key.startsWith(PARTS) ? key.slice(PARTS.length, key.lastIndexOf('/')) : null;
}

/** Other files in our bucket or folder are left alone. */
export const isOurs = (key: string): boolean => OURS.test(key);

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const OURS = new RegExp(
  `^(?:uploads/|thumbnails/|parts/)?orgs/${ID}/posts/${ID}/(?:slides|videos)/[A-Za-z0-9_-]+\\.(?:png|jpg|mp4|webm|mov)(?:\\.webp|/\\d+)?$`,
);

/** The organization that an object, or its upload, thumbnail or part, belongs to, read from its key. */
export const orgOf = (key: string): string => /(?:^|\/)orgs\/([^/]+)/.exec(key)?.[1] ?? '';

/** The asset that this key belongs to, and whether it is its object, upload, thumbnail, or a part of its upload. */
export function assetOf(key: string): {
  objectKey: string;
  part: 'object' | 'upload' | 'thumbnail' | 'part';
} {
  const whole = keyOfPart(key);
  if (whole !== null) return { objectKey: whole, part: 'part' };
  if (key.startsWith('uploads/')) return { objectKey: key.slice('uploads/'.length), part: 'upload' };
  if (key.startsWith('thumbnails/'))
    return { objectKey: key.slice('thumbnails/'.length, -'.webp'.length), part: 'thumbnail' };
  return { objectKey: key, part: 'object' };
}

const MAX_NAME = 80;

/** A name that is safe in paths, URLs and headers, and still recognizable. */
export function safeName(filename: string, unique: string, ending: string): string {
  const last = filename.split(/[/\\]/).at(-1) ?? '';
  const stem = last
    .replace(/\.[A-Za-z0-9]{1,5}$/, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_NAME)
    .replace(/-+$/, '');
  return `${stem || 'file'}-${unique}.${ending}`;
}
