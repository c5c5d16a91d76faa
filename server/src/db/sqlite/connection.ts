// One connection to the SQLite file: its settings, prepared statements, and how rows are read.
import {
  AliasNode,
  type CompiledQuery,
  createQueryId,
  type DatabaseConnection,
  IdentifierNode,
  InsertQueryNode,
  type QueryResult,
  RawNode,
  ReturningNode,
  SelectionNode,
  SelectQueryNode,
  SqliteQueryCompiler,
  ValuesNode,
} from 'kysely';
import Libsql from 'libsql';

/** How long SQLite itself may wait for another process. It blocks the whole process meanwhile. */
const BUSY_IN_SQLITE_MS = 20;

/** The service has a few hundred statements and keeps them all; this only guards against a leak. */
const MAX_STATEMENTS = 1_000;

type Row = Record<string, unknown>;
type Execute = (parameters: readonly unknown[]) => { rows: Row[]; changes: number };

export class SqliteConnection implements DatabaseConnection {
  private readonly db: Libsql.Database;
  private readonly statements = new Map<string, Execute>();
  private readonly foreignCommits: Libsql.Statement;
  /** Rows changed so far. */
  changed = 0;

  /** `exclusive`: no other process may use the file meanwhile. It must be said before the file is first read. */
  constructor(file: string, locking: 'normal' | 'exclusive' = 'normal') {
    try {
      this.db = new Libsql(file);
    } catch (error) {
      // The driver gives this one no code.
      throw Object.assign(error as Error, { code: 'SQLITE_CANTOPEN' });
    }
    this.exec(`pragma busy_timeout = ${BUSY_IN_SQLITE_MS}`);
    if (locking === 'exclusive') this.exec('pragma locking_mode = exclusive');
    this.prepareFile(locking === 'exclusive' ? 50 : 250);
    this.exec('pragma synchronous = full');
    this.exec('pragma foreign_keys = on');
    this.exec('pragma cache_size = -16000');
    this.foreignCommits = this.db.prepare('pragma data_version').raw();
  }

  exec(sql: string): void {
    this.db.exec(sql);
  }

  /** A number that changes with every commit of another connection or process. */
  dataVersion(): number {
    return (this.foreignCommits.get() as [number])[0];
  }

  all(query: CompiledQuery, parameters: readonly unknown[]): Row[] {
    return this.execute(query, parameters).rows;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes } = this.execute(query, query.parameters);
    this.changed += changes;
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: the driver has no cursor, and nothing here streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are not streamed from SQLite');
  }

  /** For a text without its query node. */
  rowsOf(sql: string, parameters: readonly unknown[]): Row[] {
    return this.db.prepare(sql).all(parameters as unknown[]) as Row[];
  }

  close(): void {
    this.statements.clear();
    this.db.close();
  }

  private execute(query: CompiledQuery, parameters: readonly unknown[]): ReturnType<Execute> {
    const execute = this.prepared(query);
    try {
      return execute(parameters);
    } catch (error) {
      // The driver does not reset a statement that failed: after a full disk, the next insert by it reported a row that was
      // not there.
      this.statements.delete(query.sql);
      throw error;
    }
  }

  private prepared(query: CompiledQuery): Execute {
    let execute = this.statements.get(query.sql);
    if (!execute) {
      if (this.statements.size >= MAX_STATEMENTS) this.statements.clear();
      execute = this.prepare(query);
      this.statements.set(query.sql, execute);
    }
    return execute;
  }

  private prepare({ sql, query }: CompiledQuery): Execute {
    const statement = this.db.prepare(sql);
    if (!statement.reader)
      return (parameters) => ({ rows: [], changes: statement.run(parameters as unknown[]).changes });
    const columns = statement.columns().map(({ name }) => name);
    if (SelectQueryNode.is(query)) return this.prepareSelect(sql, query, columns);
    if (insertsOneRow(query) && columns.length === 1) return this.prepareOneValue(sql, columns[0] as string);
    if ('returning' in query && query.returning !== undefined && returnsColumns(query.returning))
      return this.prepareReturning(query, columns);
    return (parameters) => {
      const rows = statement.all(parameters as unknown[]) as Row[];
      return { rows, changes: rows.length };
    };
  }

  /**
   * The driver passes each value separately, which costs more than finding it. Rows are therefore read as one JSON text made
   * by SQLite: a page of 20 posts took 54 µs this way instead of 181, one post 8 instead of 23.
   */
  private prepareSelect(sql: string, { orderBy, limit }: SelectQueryNode, columns: string[]): Execute {
    // An aggregate may ignore the order of its rows, unless a limit makes the order matter.
    const oneByOne = orderBy !== undefined && limit === undefined;
    const row = asJson(columns);
    const statement = this.db
      .prepare(`select ${oneByOne ? row : `json_group_array(${row})`} from (${sql})`)
      .raw();
    const toRow = rowMaker(columns);
    return (parameters) => {
      const rows = oneByOne
        ? (statement.all(parameters as unknown[]) as [string][]).map(([text]) => toRow(JSON.parse(text)))
        : (JSON.parse((statement.get(parameters as unknown[]) as [string])[0]) as unknown[][]).map(toRow);
      return { rows, changes: 0 };
    };
  }

  /** The same for rows that a write returns: one of 34 columns took 26 µs this way instead of 52. */
  private prepareReturning(query: Writing, columns: string[]): Execute {
    const row = AliasNode.create(RawNode.createWithSql(asJson(columns)), IdentifierNode.create('row'));
    const returning = ReturningNode.create([SelectionNode.create(row)]);
    const { sql } = new SqliteQueryCompiler().compileQuery({ ...query, returning }, createQueryId());
    const statement = this.db.prepare(sql).raw();
    const toRow = rowMaker(columns);
    return (parameters) => {
      const texts = statement.all(parameters as unknown[]) as [string][];
      return { rows: texts.map(([text]) => toRow(JSON.parse(text))), changes: texts.length };
    };
  }

  /** One value of one inserted row, without the driver's iterator: 21 µs instead of 29 for a post. */
  private prepareOneValue(sql: string, column: string): Execute {
    const statement = this.db.prepare(sql).raw();
    return (parameters) => {
      const row = statement.get(parameters as unknown[]) as [unknown] | undefined;
      return row ? { rows: [{ [column]: row[0] }], changes: 1 } : { rows: [], changes: 0 };
    };
  }

  /** Needs exclusive access for a moment; two first starts at the same moment may collide here. */
  private prepareFile(attempts: number): void {
    for (let attempt = 1; ; attempt++) {
      try {
        // Kept in the file, so that freed pages can be given back to the disk later. It has to be said before the first page is
        // written, which WAL does. Said again it would write, and opening would wait for other processes.
        if (this.countPages() === 0) this.exec('pragma auto_vacuum = incremental');
        this.exec('pragma journal_mode = wal');
        return;
      } catch (error) {
        if (!isBusy(error) || attempt === attempts) throw error;
      }
    }
  }

  private countPages(): number {
    const [pages] = this.db.prepare('pragma page_count').raw().get() as [number];
    return pages;
  }
}

type Writing = Extract<CompiledQuery['query'], { readonly returning?: ReturningNode }>;

/** Whether the columns can be named again: an expression has no name inside `returning`. */
const returnsColumns = ({ selections }: ReturningNode) =>
  selections.every(({ selection }) => !AliasNode.is(selection));

/** Such a statement returns one row at most: none if a conflict made it do nothing. */
const insertsOneRow = (query: CompiledQuery['query']) =>
  InsertQueryNode.is(query) &&
  query.values !== undefined &&
  ValuesNode.is(query.values) &&
  query.values.values.length === 1;

const asJson = (columns: string[]) => `json_array(${columns.map((name) => `"${name}"`).join(', ')})`;

/**
 * Written as code for these columns, as Ajv and the router do for theirs: twenty rows of 34 columns took 1.5 µs this way, and 31
 * column by column.
 */
function rowMaker(columns: string[]): (values: unknown[]) => Row {
  const fields = columns.map((name, i) => `${JSON.stringify(name)}: values[${i}]`);
  return new Function('values', `return { ${fields.join(', ')} };`) as (values: unknown[]) => Row;
}

export const isBusy = (error: unknown): boolean =>
  String((error as { code?: string }).code).startsWith('SQLITE_BUSY');
