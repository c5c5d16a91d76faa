// A Postgres that loses its last commits, after each commit from the claim to the outcome: by a failover to a streaming replica
// that lagged, by a restore to a point in time, and by a crash with synchronous_commit=off. Nothing goes out twice, and no post is
// lost: each is out, scheduled, or shown to a person as draft or unknown.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import type { Database } from '../../src/db/database.js';
import { releaseByHand } from '../../src/operator/safe-mode-commands.js';
import { assertChangeNotices } from '../support/databases/change-notice-check.js';
import { ENGINES } from '../support/databases/fresh-databases.js';
import {
  type BaseBackup,
  type Cluster,
  type PrivateCluster,
  startPrivatePostgres,
} from '../support/databases/postgres.js';
import { SwitchableDatabaseProxy } from '../support/databases/switchable-database-proxy.js';
import { book, Installation, type Process, type Running } from '../support/installations/restore.js';
import { until } from '../support/runner/until.js';

const SOON_MS = 60_000;
const STEP_MS = 61_000;
type Kinds = readonly ('slides' | 'video')[];
const STORIES: readonly [string, Kinds][] = [
  ['slides', ['slides']],
  ['a video', ['video']],
  ['many posts', ['slides', 'video', 'slides', 'video']],
];

async function ask<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const within = (clusterUrl: string, name: string) => {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
};

/** An installation on a database of a private cluster, and posts that are due. */
class Stage {
  readonly installation: Installation;
  readonly line: SwitchableDatabaseProxy;
  readonly posts: string[] = [];
  running!: Running;
  /** Called after each commit since the claim, with its number. */
  onCommit: ((number: number) => Promise<void>) | null = null;
  commits = 0;

  private readonly cluster: Cluster;
  private readonly name: string;

  private constructor(
    installation: Installation,
    line: SwitchableDatabaseProxy,
    cluster: Cluster,
    name: string,
  ) {
    this.installation = installation;
    this.line = line;
    this.cluster = cluster;
    this.name = name;
  }

  static async set(cluster: PrivateCluster, name: string, kinds: Kinds): Promise<Stage> {
    await ask(cluster.url, `create database ${name}`);
    const line = await new SwitchableDatabaseProxy(within(cluster.url, name)).start();
    const stage = new Stage(await Installation.make('postgres'), line, cluster, name);
    stage.running = await stage.start();
    const org = await stage.installation.newOrganization(stage.running);
    const account = await org.connectAccount('creator');
    for (const [i, kind] of kinds.entries())
      stage.posts.push(await book(stage.installation, org, account, `Post ${i}`, SOON_MS, kind));
    return stage;
  }

  private readonly watched = (real: Database): Database => {
    const demanding = assertChangeNotices(real);
    return {
      ...demanding,
      get read() {
        return demanding.read;
      },
      get readLong() {
        return demanding.readLong;
      },
      transact: async (work) => {
        const result = await demanding.transact(work);
        const { onCommit } = this;
        if (onCommit) await onCommit(++this.commits);
        return result;
      },
    };
  };

  start(): Promise<Running> {
    return this.installation.start({ env: { DATABASE_URL: this.line.url }, database: this.watched });
  }

  /** All posts, until the platform has them and this is known. */
  async publish(running = this.running): Promise<void> {
    this.installation.advance(SOON_MS + 1_000);
    for (let rounds = 0; rounds < 3; rounds++) {
      await running.runOnce().catch(() => {});
      await this.installation.visible();
      this.installation.advance(2_000);
    }
    await running.runOnce().catch(() => {});
  }

  /** Longer than any lease; a connection that was cut ends one round at most. */
  async goOn(process: Process): Promise<void> {
    for (let rounds = 0; rounds < 5; rounds++) {
      this.installation.advance(STEP_MS);
      await process.runOnce().catch(() => {});
      await process.app.safety.checkBeforeSend();
    }
  }

  /** What became of each post; fails if one was sent twice, or is left open. */
  async verdict(process: Process, title: string): Promise<string[]> {
    await this.goOn(process);
    if (process.app.safety.mode.kind === 'safe') await releaseByHand(process.app, {});
    await this.goOn(process);
    const times = [...(await this.installation.visible()).values()];
    assert.deepEqual(
      times.filter((n) => n > 1),
      [],
      `${title}: sent twice`,
    );
    const ends: string[] = [];
    for (const [i, id] of this.posts.entries()) {
      const post = await process.app.db.read
        .selectFrom('posts')
        .select('status')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const attempts = await process.app.db.read
        .selectFrom('dispatches')
        .select('outcome')
        .where('post_id', '=', id)
        .orderBy('attempt')
        .execute();
      const isOut = (await this.installation.visible()).get(`Post ${i}`) === 1;
      const end = `${post.status}, ${attempts.at(-1)?.outcome ?? 'no attempt'}`;
      const isShown = ['draft', 'scheduled', 'posted'].includes(post.status) || end === 'publishing, unknown';
      assert.ok(isShown, `${title}: the post is left ${end}`);
      assert.ok(post.status !== 'posted' || isOut, `${title}: it is called posted, and is not out`);
      ends.push(end);
    }
    return ends;
  }

  async strike(): Promise<void> {
    await this.installation.remove();
    await this.line.stop();
    // Each copy of the cluster would include it.
    await ask(this.cluster.url, `drop database ${this.name} with (force)`);
  }
}

class Tally {
  private readonly ends = new Map<string, number>();
  runs = 0;
  add(ends: string[]): void {
    this.runs++;
    for (const end of ends) this.ends.set(end, (this.ends.get(end) ?? 0) + 1);
  }
  toString(): string {
    const ends = [...this.ends].map(([end, n]) => `${n} × ${end}`).join('; ');
    return `${this.runs} runs, 0 twice, 0 lost: ${ends}`;
  }
}

describe('A Postgres that lost its last commits', { skip: !ENGINES.includes('postgres') }, () => {
  let cluster: PrivateCluster;
  let databases = 0;
  const nextName = () => `airdate_${++databases}`;
  before(async () => {
    cluster = await startPrivatePostgres({ fsync: false });
  });
  after(() => cluster?.stop());

  const lsnOf = async () =>
    (await ask<{ at: string }>(cluster.url, 'select pg_current_wal_insert_lsn()::text as at'))[0]
      ?.at as string;

  for (const [title, kinds] of STORIES)
    for (const survives of [true, false])
      it(`a failover to a replica that lagged, ${title}, the process ${survives ? 'lives on' : 'dies'}`, async (t) => {
        const tally = new Tally();
        for (let cut = 0; ; cut++) {
          const stage = await Stage.set(cluster, nextName(), kinds);
          const base = await cluster.baseBackup();
          const feed = await new SwitchableDatabaseProxy(cluster.url).start();
          const { host } = new URL(feed.url);
          const [hostname, port] = host.split(':');
          const replica: Cluster = await base.start('standby', {
            primary_conninfo: `host=${hostname} port=${port} user=airdate`,
          });
          const severFeed = async () => {
            const target = await lsnOf();
            await until('the replica has caught up', async () => {
              const [row] = await ask<{ ok: boolean }>(
                replica.url,
                `select coalesce(pg_last_wal_replay_lsn() >= '${target}', false) as ok`,
              );
              return row?.ok === true;
            });
            await feed.stop();
          };
          try {
            if (cut === 0) await severFeed();
            stage.onCommit = async (number) => {
              if (number === cut) await severFeed();
            };
            await stage.publish();
            const { commits } = stage;
            stage.onCommit = null;
            if (!survives) await stage.running.stop('killed');
            await ask(replica.url, 'select pg_promote(true, 60)');
            stage.line.switchTo(within(replica.url, `airdate_${databases}`));
            const process = survives ? stage.running : await stage.start();
            tally.add(await stage.verdict(process, `${title}, cut after commit ${cut} of ${commits}`));
            if (cut >= commits) break;
          } finally {
            await stage.strike();
            await feed.stop().catch(() => {});
            await replica.stop();
            base.remove();
          }
        }
        t.diagnostic(String(tally));
      });

  for (const [title, kinds] of STORIES)
    it(`a restore to a point in time, ${title}`, async (t) => {
      const tally = new Tally();
      const name = nextName();
      const stage = await Stage.set(cluster, name, kinds);
      const base: BaseBackup = await cluster.baseBackup();
      try {
        const points = [await lsnOf()];
        stage.onCommit = async () => void points.push(await lsnOf());
        await stage.publish();
        stage.onCommit = null;
        await stage.running.stop('killed');
        const putNoteBack = stage.installation.copyNote();
        for (const [i, target] of points.entries()) {
          const restored = await base.start('recovery', {
            restore_command: `cp ${base.walFolder}/%f %p`,
            recovery_target_lsn: target,
            recovery_target_action: 'promote',
          });
          try {
            await until('it is restored', async () => {
              const [row] = await ask<{ is: boolean }>(restored.url, 'select pg_is_in_recovery() as is');
              return row?.is === false;
            });
            putNoteBack();
            stage.line.switchTo(within(restored.url, name));
            const process = await stage.start();
            tally.add(
              await stage.verdict(process, `${title}, restored to commit ${i} of ${points.length - 1}`),
            );
            await process.stop('killed');
          } finally {
            await restored.stop();
          }
        }
      } finally {
        await stage.strike();
        base.remove();
      }
      t.diagnostic(String(tally));
    });

  for (const [title, kinds] of STORIES)
    it(`a crash with synchronous_commit=off, ${title}`, async (t) => {
      const tally = new Tally();
      const settings = { synchronous_commit: 'off', wal_writer_delay: '10000' };
      const loose = await startPrivatePostgres({ fsync: false, settings });
      try {
        for (let kept = 0; ; kept++) {
          const stage = await Stage.set(loose, nextName(), kinds);
          const force = () =>
            ask(loose.url, 'set synchronous_commit = on; create table forced (); drop table forced');
          try {
            // Without it, a commit is written when another one forces it: until then a crash loses it.
            const [writer] = await ask<{ pid: number }>(
              loose.url,
              "select pid from pg_stat_activity where backend_type = 'walwriter'",
            );
            process.kill(writer?.pid as number, 'SIGSTOP');
            if (kept === 0) await force();
            stage.onCommit = async (number) => {
              if (number === kept) await force();
            };
            await stage.publish();
            const { commits } = stage;
            stage.onCommit = null;
            await stage.running.stop('killed');
            await loose.crash();
            const again = await stage.start();
            tally.add(
              await stage.verdict(again, `${title}, commit ${kept} of ${commits} was the last one forced`),
            );
            if (kept >= commits) break;
          } finally {
            await stage.strike();
          }
        }
      } finally {
        await loose.stop();
      }
      t.diagnostic(String(tally));
    });
});
