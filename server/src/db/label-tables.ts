// The tables of labels and snippets; see decision 0028.
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

/** A saved text for one field of posts. */
export interface SnippetTable {
  org_id: string;
  id: string;
  kind: 'caption' | 'hashtags';
  name: string;
  /** The name folded, which is unique within the kind. */
  name_key: string;
  /** Called `text` on the wire, which is the name of a type in SQL. */
  content: string;
  created_at: number;
  updated_at: number;
}

export type LabelRow = Selectable<LabelTable>;
export type SnippetRow = Selectable<SnippetTable>;
