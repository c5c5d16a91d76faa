// The tables of labels; see decision 0027.
import type { Selectable } from 'kysely';

export interface LabelTable {
  org_id: string;
  id: string;
  name: string;
  /** The name folded, which is unique within the organization. */
  name_key: string;
  colour: string;
  created_at: number;
}

/** Which posts have a label, newest post first by its index. The post's own column `labels` says the same. */
export interface PostLabelTable {
  org_id: string;
  post_id: string;
  label_id: string;
  /** The post's own. */
  created_at: number;
}

export type LabelRow = Selectable<LabelTable>;
