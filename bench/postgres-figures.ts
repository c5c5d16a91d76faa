// What Postgres itself uses, as Linux and Postgres count it.
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

// Not the parent of the connection's own process: that may have ended before its parent is read.
const SERVER_PID = "select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as value";

/** CPU time of the whole server so far, in milliseconds. It must run on this machine. */
export async function postgresCpu(url: string): Promise<number> {
  const server = await ask<number>(url, SERVER_PID);
  for (;;) {
    const { own, ended } = statOf(server);
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => statOf(Number(name)))
      .filter(({ parent }) => parent === server);
    // One that ended meanwhile would be counted twice, or not at all.
    if (statOf(server).ended === ended) return children.reduce((ms, child) => ms + child.own, own + ended);
  }
}

/** What has been written so far: bytes of the write-ahead log, and transactions. */
export const postgresWrites = (url: string): Promise<{ bytes: number; transactions: number }> =>
  ask(
    url,
    `select json_build_object('bytes', pg_current_wal_insert_lsn() - '0/0'::pg_lsn, 'transactions', txid_current()) as value`,
  );

/** Of all processes of Airdate, including a benchmark that has opened the database itself. */
export const connectionsOf = (url: string): Promise<number> =>
  ask(url, "select count(*)::int as value from pg_stat_activity where application_name like 'airdate%'");

/** One value, on a connection of its own. */
export async function ask<Value>(url: string, question: string): Promise<Value> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(question)).rows[0]?.value;
  } finally {
    await client.end();
  }
}

/** CPU times in milliseconds: its own, and those of children that have ended. All zero for a process that is gone. */
function statOf(pid: number): { parent: number; own: number; ended: number } {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const numbers = fields.split(' ').map(Number);
    const at = (field: number) => numbers[field - 3] ?? 0;
    return { parent: at(4), own: 10 * (at(14) + at(15)), ended: 10 * (at(16) + at(17)) };
  } catch {
    return { parent: -1, own: 0, ended: 0 };
  }
}
