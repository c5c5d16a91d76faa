// Refuses a transaction of the service that changes visible data without noting it (see src/db/changes.ts). It wraps the
// database of every service that tests start, so that a forgotten note fails every test that runs into it. Writes of the
// tests themselves are not checked.
import {
  type CompiledQuery,
  type DeleteQueryNode,
  type InsertQueryNode,
  type KyselyProps,
  type OperationNode,
  Transaction,
  type UpdateQueryNode,
} from 'kysely';
import { afterCommit, takeAfterCommit } from '../../../src/db/after-commit.js';
import { markChanged, takeChanges } from '../../../src/db/changes.js';
import type { Database, Tx } from '../../../src/db/database.js';
import type { Tables } from '../../../src/db/tables.js';

type Watched = 'posts' | 'assets' | 'dispatches' | 'social_accounts';

/** Columns that no response shows, or (`checked_at`) whose changes need no notice; everything else needs one. */
const UNSEEN: Record<Watched, string[]> = {
  posts: ['wait_until', 'title_key'],
  assets: ['inspection_failures', 'inspection_began_at'],
  dispatches: [
    ...['fence', 'lease_until', 'next_at', 'phase', 'upload', 'checks', 'checked_at', 'snapshot', 'nonce'],
    ...['fetched_at', 'revoked_at', 'sent_at', 'submission_ref', 'continued_by'],
  ],
  social_accounts: [
    ...['access_token', 'access_expires_at', 'refresh_token'],
    // Shown, but written alone only when a disconnected account is wiped; a renewal writes `scopes` as well.
    'refresh_expires_at',
    ...['refresh_at', 'refreshing_until', 'token_fence'],
  ],
};

export function assertChangeNotices(real: Database, isMeant = isOfService): Database {
  return {
    ...real,
    transact(work) {
      if (!isMeant(callerFile())) return real.transact(work);
      return real.transact(async (tx) => {
        const written = new Set<'posts' | 'accounts'>();
        const result = await work(watch(tx, (query) => inspectQuery(query, written)));
        return checked(tx, written, result);
      });
    },
  };
}

/** Passes notes on the watched handle, and what is planned for after its commit, on to the real one. */
const inner = new WeakMap<Tx, Tx>();

function checked<T>(tx: Tx, written: Set<string>, result: T): T {
  const changes = takeChanges(inner.get(tx) as Tx);
  for (const { orgId, ...what } of changes) markChanged(tx, orgId, what);
  for (const act of takeAfterCommit(inner.get(tx) as Tx)) afterCommit(tx, act);
  if (written.has('posts') && !changes.some(({ posts }) => posts.size > 0))
    throw new Error('a transaction has changed a post, or something of it, and noted none: markChanged');
  if (written.has('accounts') && !changes.some(({ accounts }) => accounts))
    throw new Error('a transaction has changed an account and has not noted it: markChanged');
  return result;
}

export const isOfService = (file: string) => file.includes('/dist/src/');

/** The file that started the transaction: the first in the stack other than this one. Built names, which need no source map. */
function callerFile(): string {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName() ?? '');
  const files = new Error().stack as unknown as string[];
  Error.prepareStackTrace = prepareStackTrace;
  return (
    files.find(
      (file) => file.includes('/dist/') && !file.endsWith('/test/support/databases/change-notice-check.js'),
    ) ?? ''
  );
}

function inspectQuery(
  { query, rows }: { query: OperationNode; rows: number },
  written: Set<'posts' | 'accounts'>,
) {
  if (rows === 0) return;
  const seen = seenTable(query);
  if (seen) written.add(seen === 'social_accounts' ? 'accounts' : 'posts');
}

function seenTable(query: OperationNode): Watched | null {
  switch (query.kind) {
    case 'InsertQueryNode':
      return watched((query as InsertQueryNode).into);
    case 'DeleteQueryNode':
      return watched((query as DeleteQueryNode).from.froms[0]);
    case 'UpdateQueryNode': {
      const { table, updates = [] } = query as UpdateQueryNode;
      const name = watched(table);
      if (name === null) return null;
      const columns = updates.map(({ column }) => (column as unknown as ColumnName).column.name);
      return columns.every((column) => UNSEEN[name].includes(column)) ? null : name;
    }
    default:
      return null;
  }
}

interface ColumnName {
  column: { name: string };
}

function watched(table: OperationNode | undefined): Watched | null {
  const name = (table as { table?: { identifier: { name: string } } } | undefined)?.table?.identifier.name;
  return name !== undefined && name in UNSEEN ? (name as Watched) : null;
}

function watch(tx: Tx, seen: (statement: { query: OperationNode; rows: number }) => void): Tx {
  const executor = new Proxy(tx.getExecutor(), {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method = value.bind(target);
      if (name !== 'executeQuery') return method;
      return async (statement: CompiledQuery, ...more: unknown[]) => {
        const result = await method(statement, ...more);
        const rows = Math.max(result.rows.length, Number(result.numAffectedRows ?? 0n));
        seen({ query: statement.query, rows });
        return result;
      };
    },
  });
  const unused = {} as never;
  const props: KyselyProps = { config: unused, dialect: unused, driver: unused, executor };
  const made: Tx = new Transaction<Tables>(props);
  inner.set(tx, made);
  return made;
}
