// Uploads that mean harm, as a table: what each is, what it says it is, and what must become of it.
import { HOSTILE_PICTURES } from './hostile-pictures.js';
import { HOSTILE_VIDEOS } from './hostile-videos.js';

export interface Hostile {
  title: string;
  contentType: string;
  bytes(): Buffer;
  /**
   * Harmless: a valid picture or video of the type it says, with something besides that is never interpreted, since it
   * is served with this type alone. The title says why.
   */
  expected: 'refused' | 'harmless';
}

export const HOSTILE: readonly Hostile[] = [...HOSTILE_PICTURES, ...HOSTILE_VIDEOS];
