// Which tables are copied. Backups and moves list the tables of the live schema, and refuse one that has no row here.
import type { Database, Reader } from '../../db/database.js';
import { type IntrospectedTable, introspectTables } from '../../db/schema-introspection.js';
import type { Tables } from '../../db/tables.js';
import { OperatorError } from './operator-error.js';

/** Counters and the texts of the search are copied as they are. Only engine-internal tables are rebuilt. */
const KINDS: Record<keyof Tables, 'copied' | 'made anew'> = {
  api_keys: 'copied',
  asset_sources: 'copied',
  assets: 'copied',
  audit: 'copied',
  booked_slots: 'copied',
  daily_post_counts: 'copied',
  dispatch_counters: 'copied',
  dispatches: 'copied',
  event_counters: 'copied',
  event_epochs: 'copied',
  events: 'copied',
  fetch_paces: 'copied',
  idempotency_records: 'copied',
  inbox_counters: 'copied',
  installation: 'copied',
  invitations: 'copied',
  key_check: 'copied',
  labels: 'copied',
  oauth_states: 'copied',
  objects_to_delete: 'copied',
  organizations: 'copied',
  people: 'copied',
  person_factors: 'copied',
  person_links: 'copied',
  person_networks: 'copied',
  platform_blocks: 'copied',
  platform_webhooks: 'copied',
  post_counters: 'copied',
  post_labels: 'copied',
  post_search: 'copied',
  posts: 'copied',
  recovery_codes: 'copied',
  reported_risks: 'copied',
  revisions: 'copied',
  sessions: 'copied',
  sign_in_tickets: 'copied',
  snippets: 'copied',
  social_accounts: 'copied',
  stored_bytes: 'copied',
  webhook_attempts: 'copied',
  webhook_deliveries: 'copied',
  webhook_endpoints: 'copied',
  webhook_previous_secrets: 'copied',
  wrong_codes: 'copied',
  // By the migrations of the program that restores.
  schema_migrations: 'made anew',
  // Signs of life of processes that do not run any more.
  grant_calls: 'made anew',
  workers: 'made anew',
  // The index of the search on SQLite; Postgres keeps its own out of sight.
  post_search_fts: 'made anew',
  post_search_organizations: 'made anew',
  post_search_pending: 'made anew',
};

/** Numbers that each database gives by itself; they mean nothing elsewhere. */
const OWN_NUMBERS: Partial<Record<string, string>> = { post_search: 'n' };

/** FTS5 keeps its index in tables of its own. */
const isPartOfIndex = (name: string) => name.startsWith('post_search_fts_');

/** The tables to copy, those that others refer to first. `columns` are those that are copied, in alphabetical order. */
export async function copiedTables(read: Reader, engine: Database['engine']): Promise<IntrospectedTable[]> {
  const tables = (await introspectTables(read, engine)).filter(({ name }) => !isPartOfIndex(name));
  const unknown = tables.find(({ name }) => !Object.hasOwn(KINDS, name));
  if (unknown)
    throw new OperatorError(
      `The database has a table "${unknown.name}" that this version does not know: a newer version made it, or another program. Use the newer version, or a database of its own for Airdate.`,
    );
  return tables
    .filter(({ name }) => KINDS[name as keyof Tables] === 'copied')
    .map((table) => ({
      ...table,
      columns: table.columns.filter((column) => column !== OWN_NUMBERS[table.name]).sort(),
    }));
}
