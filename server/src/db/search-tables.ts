// The tables of the search; see decision 0021.
import type { Generated } from 'kysely';

/** The searched text of a post, folded and cut. Deleted with the post. */
export interface PostSearchTable {
  /** SQLite only, for its index. Posts that are written later have higher numbers; none is used again. */
  n: Generated<number>;
  org_id: string;
  post_id: string;
  /** The post's own. */
  created_at: number;
  /** The version of the post that the text is of: an older one never replaces a newer one. */
  version: number;
  content: string;
}

/** Posts that a process of the previous release has written: their text in post_search is missing or old. */
export interface PostToIndexTable {
  id: Generated<number>;
  org_id: string;
  post_id: string;
}

/** How far a loop has come with the posts that an organization had before: up to the post named here all are done. */
export interface OldPostsTable {
  org_id: string;
  created_at: number;
  post_id: string;
  /** How many batches of its posts are done; organizations take turns by it. */
  batches: number;
}

/** SQLite only: what the index does not know yet of a text, or still knows of one that was changed or deleted. */
export interface PostSearchPendingTable {
  n: number;
  org_id: string;
  /** The text that the index knows; null if none. */
  indexed: string | null;
}

/** SQLite only: the number of an organization in the index. */
export interface PostSearchOrganizationTable {
  number: Generated<number>;
  org_id: string;
}

/** SQLite only: which posts have a trigram. The rowid is made of the organization's number and the post's `n`. */
export interface PostSearchFtsTable {
  rowid: number;
  /** Compared with `match`. */
  post_search_fts: string;
}
