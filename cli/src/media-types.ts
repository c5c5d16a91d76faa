// The types of files that posts consist of, and what a file's name says about its type.
import { extname } from 'node:path';
import type { BodyOf } from '@airdate/sdk';

export type MediaType = NonNullable<BodyOf<'requestUpload'>['content_type']>;

const BY_EXTENSION: Readonly<Record<string, MediaType>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
};

export const MEDIA_TYPES: readonly MediaType[] = [...new Set(Object.values(BY_EXTENSION))];

export const typeByName = (filename: string): MediaType | undefined =>
  BY_EXTENSION[extname(filename).toLowerCase()];

export const isVideo = (type: MediaType | undefined): boolean => type?.startsWith('video/') === true;
