// A worker that sends webhooks, as a process that kills itself with SIGKILL before its Nth statement. Without being struck it
// tells how many there were.
import type { CompiledQuery } from 'kysely';
import pg from 'pg';
import { readConfig } from '../../../src/config/config.js';
import { createLog } from '../../../src/core/log.js';
import { SqliteConnection } from '../../../src/db/sqlite/connection.js';
import { createSender } from '../../../src/events/webhooks/sender.js';
import { openApp } from '../../../src/open-app.js';
import { fanOutAll } from '../../support/service/webhooks.js';

const fatal = Number(process.argv[2]);
/** How far the clock of the test is ahead. */
const aheadMs = Number(process.argv[3]);

let counting = false;
let statements = 0;
function strike(): void {
  if (counting && ++statements === fatal) process.kill(process.pid, 'SIGKILL');
}

const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  strike();
  return query.apply(this, args);
} as typeof pg.Client.prototype.query;

const sqlite = SqliteConnection.prototype as unknown as {
  prepared(query: CompiledQuery): (values: readonly unknown[]) => unknown;
  exec(sql: string): void;
};
const { prepared, exec } = sqlite;
sqlite.prepared = function (query) {
  const execute = prepared.call(this, query);
  return (values) => {
    strike();
    return execute(values);
  };
};
sqlite.exec = function (sql) {
  strike();
  exec.call(this, sql);
};

const app = await openApp(readConfig('api', process.env), {
  clock: { now: () => Date.now() + aheadMs },
  log: createLog({ level: 'silent', human: false }),
});
counting = true;
await fanOutAll({ app });
const sender = createSender(app);
// As often as the scenario has deliveries of one subject, and once to find nothing.
for (let i = 0; i < 4; i++) {
  await sender.startDue();
  await sender.idle();
}
counting = false;
process.send?.(statements);
process.disconnect?.();
await app.close();
