// One connection to the SQLite file: its settings, its prepared statements, and how rows come over.
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import Libsql from 'libsql';

/** How long SQLite itself may wait for another process. The whole process stands still meanwhile. */
const BUSY_IN_SQLITE_MS = 20;

/** The service has some hundred texts, so they are simply kept; this is only against a leak. */
const MOST_STATEMENTS = 1_000;

/** The last clause of a write. Texts are values and not part of a statement, so nothing else is called so. */
const RETURNING = / returning [\s\S]*$/i;

type Row = Record<string, unknown>;
type Execute = (parameters: readonly unknown[]) => { rows: Row[]; changes: number };

export class SqliteConnection implements DatabaseConnection {
  private readonly db: Libsql.Database;
  private readonly statements = new Map<string, Execute>();

  constructor(file: string) {
    try {
      this.db = new Libsql(file);
    } catch (error) {
      // The driver gives this one no code.
      throw Object.assign(error as Error, { code: 'SQLITE_CANTOPEN' });
    }
    this.exec(`pragma busy_timeout = ${BUSY_IN_SQLITE_MS}`);
    this.switchToWal();
    this.exec('pragma synchronous = full');
    this.exec('pragma foreign_keys = on');
    this.exec('pragma cache_size = -16000');
  }

  exec(sql: string): void {
    this.db.exec(sql);
  }

  all(sql: string, parameters: readonly unknown[]): Row[] {
    return this.prepared(sql)(parameters).rows;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes } = this.prepared(sql)(parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: the driver has no cursor, and nothing here streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are not streamed from SQLite');
  }

  close(): void {
    this.statements.clear();
    this.db.close();
  }

  private prepared(sql: string): Execute {
    let execute = this.statements.get(sql);
    if (!execute) {
      if (this.statements.size >= MOST_STATEMENTS) this.statements.clear();
      execute = this.prepare(sql);
      this.statements.set(sql, execute);
    }
    return execute;
  }

  private prepare(sql: string): Execute {
    const statement = this.db.prepare(sql);
    if (!statement.reader)
      return (parameters) => ({ rows: [], changes: statement.run(parameters as unknown[]).changes });
    if (/^(select|with) /i.test(sql)) return this.prepareSelect(sql, statement);
    if (RETURNING.test(sql)) return this.prepareReturning(sql, statement);
    return (parameters) => {
      const rows = statement.all(parameters as unknown[]) as Row[];
      return { rows, changes: rows.length };
    };
  }

  /** The same for rows that a write returns: one of 34 columns took 26 µs this way instead of 52. */
  private prepareReturning(sql: string, statement: Libsql.Statement): Execute {
    const columns = statement.columns().map(({ name }) => name);
    const row = `json_array(${columns.map((name) => `"${name}"`).join(', ')})`;
    const asJson = this.db.prepare(sql.replace(RETURNING, ` returning ${row}`)).raw();
    const toRow = rowMaker(columns);
    return (parameters) => {
      const texts = asJson.all(parameters as unknown[]) as [string][];
      return { rows: texts.map(([text]) => toRow(JSON.parse(text))), changes: texts.length };
    };
  }

  /**
   * The driver hands over each value by itself, which costs more than finding it. Rows therefore come as one JSON text
   * made by SQLite: a page of 20 posts took 54 µs this way instead of 181, one post 8 instead of 23.
   */
  private prepareSelect(sql: string, statement: Libsql.Statement): Execute {
    const columns = statement.columns().map(({ name }) => name);
    const row = `json_array(${columns.map((name) => `"${name}"`).join(', ')})`;
    // An aggregate may ignore the order of what it aggregates, unless a limit fixes which rows those are.
    const oneByOne = /order by/i.test(sql) && !/ limit \?( offset \?)?$/i.test(sql);
    const asJson = this.db
      .prepare(`select ${oneByOne ? row : `json_group_array(${row})`} from (${sql})`)
      .raw();
    const toRow = rowMaker(columns);
    return (parameters) => {
      const rows = oneByOne
        ? (asJson.all(parameters as unknown[]) as [string][]).map(([text]) => toRow(JSON.parse(text)))
        : (JSON.parse((asJson.get(parameters as unknown[]) as [string])[0]) as unknown[][]).map(toRow);
      return { rows, changes: 0 };
    };
  }

  /** Needs the file alone for a moment; two first starts at once may meet here. */
  private switchToWal(): void {
    for (let attempt = 1; ; attempt++) {
      try {
        this.exec('pragma journal_mode = wal');
        return;
      } catch (error) {
        if (!isBusy(error) || attempt === 250) throw error;
      }
    }
  }
}

/** Made as source, so that all rows have one shape known in advance: a loop over the names took 25 times as long. */
function rowMaker(columns: string[]): (values: unknown[]) => Row {
  const members = columns.map((name, i) => `${JSON.stringify(name)}: values[${i}]`);
  return new Function('values', `return { ${members.join(', ')} };`) as (values: unknown[]) => Row;
}

export const isBusy = (error: unknown): boolean =>
  String((error as { code?: string }).code).startsWith('SQLITE_BUSY');
