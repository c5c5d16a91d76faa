// Malicious uploads, as a table: what each is, what it claims to be, and the required verdict.
import { HOSTILE_PICTURES } from './hostile-pictures.js';
import { HOSTILE_VIDEOS } from './hostile-videos.js';

export interface Hostile {
  title: string;
  contentType: string;
  bytes(): Buffer;
  /**
   * Harmless: a valid image or video of its claimed type, with extra content that is never interpreted, because the file
   * is only served with this type. The title says why.
   */
  expected: 'refused' | 'harmless';
}

export const HOSTILE: readonly Hostile[] = [...HOSTILE_PICTURES, ...HOSTILE_VIDEOS];
