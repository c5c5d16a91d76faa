// What a post may contain, as data.
import { HOUR_MS } from '../core/durations.js';
import type { AssetTable } from '../db/tables.js';

export type AssetKind = AssetTable['kind'];

const MIB = 1024 * 1024;

interface KindLimits {
  /** The folder in the key. */
  folder: string;
  /** Content types, with the file extension used in keys. */
  extensions: Readonly<Record<string, string>>;
  maxLength: number;
  maxLengthInWords: string;
  uploadLifeMs: number;
}

export const KINDS: Readonly<Record<AssetKind, KindLimits>> = {
  slide: {
    folder: 'slides',
    extensions: { 'image/png': 'png', 'image/jpeg': 'jpg' },
    maxLength: 20 * MIB,
    maxLengthInWords: '20 MB',
    uploadLifeMs: HOUR_MS,
  },
  video: {
    folder: 'videos',
    extensions: { 'video/mp4': 'mp4', 'video/webm': 'webm', 'video/quicktime': 'mov' },
    maxLength: 4096 * MIB,
    maxLengthInWords: '4 GB',
    uploadLifeMs: 2 * HOUR_MS,
  },
};

export const kindOf = (postType: 'slides' | 'video'): AssetKind => (postType === 'video' ? 'video' : 'slide');

export const UPLOAD_TYPES = [...Object.keys(KINDS.slide.extensions), ...Object.keys(KINDS.video.extensions)];

export const MAX_SLIDES = 35;
export const DOWNLOAD_LIFE_MS = HOUR_MS;
