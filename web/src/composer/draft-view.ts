// What a screen sees of a post that is being written.
import type { Post } from '@airdate/sdk';
import type { Field, Fields } from './fields.js';

export type Saving = 'untouched' | 'saved' | 'saving' | 'unreachable' | 'held' | 'refused';

export interface DraftView {
  id: string | undefined;
  postType: Post['post_type'];
  fields: Fields;
  saving: Saving;
  /** The API's refusal. */
  problem: unknown;
  /** By field, from the API or from checks here. */
  mistakes: Partial<Record<Field, string>>;
  /** Text was found in this browser that had not been saved: of a new post, or in the place of a saved text. */
  restored: 'new' | 'changed' | undefined;
}
