// Calls about grants that are under way (see accounts/grant-calls.ts).

/** A process that is about to exchange a code, or to revoke a grant. */
export interface GrantCallTable {
  id: string;
  platform: string;
  kind: 'exchange' | 'revocation';
  /** If it is still there by then, its process has stopped. */
  valid_until: number;
}
