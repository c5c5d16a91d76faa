// The API's limits, so that a file it would refuse is refused before a byte is sent. `rules/dashboard-limits` compares them.
import type { Post } from '@airdate/sdk/core';

type PostType = Post['post_type'];

const MIB = 1024 * 1024;

export const MAX_SLIDES = 35;

interface Limits {
  types: Readonly<Record<string, readonly string[]>>;
  typesText: string;
  maxBytes: number;
  maxText: string;
}

const LIMITS: Readonly<Record<PostType, Limits>> = {
  slides: {
    types: { 'image/png': ['.png'], 'image/jpeg': ['.jpg', '.jpeg'] },
    typesText: 'PNG, JPEG or WebP',
    maxBytes: 20 * MIB,
    maxText: '20 MB',
  },
  video: {
    types: { 'video/mp4': ['.mp4', '.m4v'], 'video/webm': ['.webm'], 'video/quicktime': ['.mov'] },
    typesText: 'MP4, MOV or WebM',
    maxBytes: 4096 * MIB,
    maxText: '4 GB',
  },
};

/** Pictures that the API does not take. The browser makes JPEGs of those it can open; see images.ts. */
const CONVERTED = ['.webp', '.avif', '.heic', '.heif', '.gif', '.bmp'];

/** For a file picker. */
export const accepted = (type: PostType): string =>
  [
    ...Object.entries(LIMITS[type].types).flatMap(([mime, extensions]) => [mime, ...extensions]),
    ...(type === 'slides' ? CONVERTED : []),
  ].join(',');

export const limitsText = (type: PostType): string =>
  type === 'slides'
    ? `${LIMITS.slides.typesText}, up to ${LIMITS.slides.maxText} each, ${MAX_SLIDES} slides at most`
    : `${LIMITS.video.typesText}, up to ${LIMITS.video.maxText}`;

/** The type to announce. Some systems report no type for a file; then its extension decides. */
export function contentTypeOf(file: File, type: PostType): string | undefined {
  const { types } = LIMITS[type];
  if (types[file.type]) return file.type;
  if (file.type !== '') return undefined;
  const name = file.name.toLowerCase();
  return Object.keys(types).find((mime) => types[mime]?.some((extension) => name.endsWith(extension)));
}

/** A picture that must become a JPEG before the API takes it. */
export const mustConvert = (file: File): boolean =>
  contentTypeOf(file, 'slides') === undefined &&
  (file.type.startsWith('image/') ||
    (file.type === '' && CONVERTED.some((extension) => file.name.toLowerCase().endsWith(extension))));

export const isVideo = (file: File): boolean => contentTypeOf(file, 'video') !== undefined;

export const isPicture = (file: File): boolean =>
  contentTypeOf(file, 'slides') !== undefined || mustConvert(file);

/** Why the file cannot be uploaded, if it cannot. */
export function refusalOf(file: File, type: PostType): string | undefined {
  const { typesText, maxBytes, maxText } = LIMITS[type];
  if (contentTypeOf(file, type) === undefined)
    return type === 'slides'
      ? `A slide must be a picture: ${typesText}.`
      : `The video must be an ${typesText}.`;
  if (file.size === 0) return 'This file is empty.';
  if (file.size > maxBytes)
    return `This file is ${bytes(file.size)}. A ${type === 'slides' ? 'slide' : 'video'} can be up to ${maxText}.`;
  return undefined;
}

/** "1.8 MB". */
export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  const units = ['KB', 'MB', 'GB'];
  let value = count / 1024;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
