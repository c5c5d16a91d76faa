// Malicious uploads, as a table: what each is, what it claims to be, and the required verdict.
import { PICTURE_BOMBS } from './bombs-pictures.js';
import { VIDEO_BOMBS } from './bombs-videos.js';
import { HOSTILE_PICTURES } from './hostile-pictures.js';
import { HOSTILE_VIDEOS } from './hostile-videos.js';

export interface Hostile {
  title: string;
  contentType: string;
  bytes(): Buffer;
  /**
   * Harmless: a valid image or video of its claimed type, with extra content that is never interpreted, because the file
   * is only served with this type. The title says why. Either: what matters is that there is a verdict, within bounds.
   */
  expected: 'refused' | 'harmless' | 'either';
}

export const HOSTILE: readonly Hostile[] = [
  ...HOSTILE_PICTURES,
  ...HOSTILE_VIDEOS,
  ...PICTURE_BOMBS,
  ...VIDEO_BOMBS,
];
