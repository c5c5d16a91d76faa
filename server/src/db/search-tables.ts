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
  content: string;
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
