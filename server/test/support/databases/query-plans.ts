// The database explains the statements that the service really sends.
import { join } from 'node:path';
import Libsql from 'libsql';
import pg from 'pg';
import type { App } from '../../../src/app/app.js';
import type { Statement } from './recorded-statements.js';

export const explainerOf = async ({ config, db }: App): Promise<Explainer> =>
  db.engine === 'postgres'
    ? explainPostgres(String(config.databaseUrl))
    : explainSqlite(join(config.dataDir, 'airdate.db'));

/** Each returns the steps that are too expensive. */
export interface Explainer {
  /** Every step, with the rows that it read if the engine tells. */
  steps(statement: Statement): Promise<{ step: string; rows: number | null }[]>;
  wholeTable(statement: Statement): Promise<string[]>;
  tooMuch(statement: Statement): Promise<string[]>;
  run(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

function explainSqlite(file: string): Explainer {
  const db = new Libsql(file);
  const plan = ({ text, values }: Statement) =>
    db.prepare(`explain query plan ${text}`).all(...values) as {
      id: number;
      parent: number;
      detail: string;
    }[];
  return {
    steps: async (statement) => plan(statement).map(({ detail }) => ({ step: detail, rows: null })),
    wholeTable: async (statement) =>
      plan(statement)
        .map((step) => step.detail)
        .filter((detail) => /^SCAN (posts|post_labels)\b/.test(detail)),
    // An index scan is a search for more than one row. One without an end, whose rows are sorted before the page is cut
    // off, or that filters by a status that its index lacks, reads everything the organization has. A range of slots
    // is as long as the caller asked for.
    tooMuch: async (statement) => {
      const steps = plan(statement);
      const scans = steps.filter(
        ({ detail }) =>
          /^SEARCH (posts|post_labels)\b/.test(detail) &&
          !/\(org_id=\? AND id=\?\)|(scheduled_at|last_slot)>\? AND/.test(detail),
      );
      const endless = scans.filter(
        ({ parent }) => parent === 0 && !/limit \?( offset \?)?$/.test(statement.text),
      );
      const sorted = scans.filter(({ parent }) =>
        steps.some((step) => step.parent === parent && /TEMP B-TREE FOR .*ORDER BY/.test(step.detail)),
      );
      const past = scans.filter(
        ({ parent, detail }) =>
          parent === 0 && /"status" in/.test(statement.text) && !/status=\?/.test(detail),
      );
      return [
        ...endless.map(({ detail }) => `${detail}: without a limit`),
        ...sorted.map(({ detail }) => `${detail}: sorted`),
        ...past.map(({ detail }) => `${detail}: past everything of another status`),
      ];
    },
    run: async (sql) => db.exec(sql),
    close: async () => void db.close(),
  };
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** Some rows for each row of the page, for merging and filtering; far fewer than an organization has. */
const ROWS_FOR_A_PAGE = 1_200;

async function explainPostgres(url: string): Promise<Explainer> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const nodesOf = async ({ text, values }: Statement): Promise<PlanNode[]> => {
    const { rows } = await client.query(`explain (analyze, format json) ${text}`, values);
    const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
    return nodes(rows[0]['QUERY PLAN'][0].Plan);
  };
  const scans = async (statement: Statement): Promise<PlanNode[]> =>
    (await nodesOf(statement)).filter((node) => /^(posts|post_labels)$/.test(node['Relation Name'] ?? ''));
  const rowsRead = (node: PlanNode) =>
    node['Actual Loops'] *
    (node['Actual Rows'] +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0));
  return {
    steps: async (statement) =>
      (await nodesOf(statement))
        .filter((node) => node['Relation Name'] !== undefined)
        .map((node) => ({ step: `${node['Node Type']} of ${node['Relation Name']}`, rows: rowsRead(node) })),
    wholeTable: async (statement) =>
      (await scans(statement)).map((node) => node['Node Type']).filter((type) => type === 'Seq Scan'),
    tooMuch: async (statement) => {
      const read = (await scans(statement)).map((node) => ({
        type: node['Node Type'],
        rows: rowsRead(node),
      }));
      const total = read.reduce((sum, { rows }) => sum + rows, 0);
      return total <= ROWS_FOR_A_PAGE ? [] : read.map(({ type, rows }) => `${type}: ${rows} rows`);
    },
    run: (sql) => client.query(sql),
    close: () => client.end(),
  };
}
