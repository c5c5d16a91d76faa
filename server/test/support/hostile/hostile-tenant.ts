// A service, a victim at work, and an attacker in a process of its own. AIRDATE_TEST_MAIN names another build's main.js, to compare.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createPostgresDatabase, type Engine, type PostgresDatabase } from '../databases/fresh-databases.js';
import { type Program, startProgram } from '../programs/start-program.js';
import { until } from '../runner/until.js';
import { ADMIN_TOKEN, TEST_KEY } from '../service/harness.js';
import { ALLOW } from '../service/webhooks.js';
import type { Attack } from './attacks.js';
import { newTenant } from './tenant-client.js';
import { type Times, Victim } from './victim.js';

const ATTACKER = fileURLToPath(new URL('attacker.js', import.meta.url));
const COLLECT_GARBAGE = new URL('collect-garbage.js', import.meta.url).href;
const collectedIn = (dir: string) => join(dir, 'collected');

/** What the victim does, in quiet and under attack. */
interface Work {
  rounds: number;
  signInEvery: number;
  people: number;
}

export interface Measured {
  quiet: Times;
  attacked: Times;
  /** What was answered to the victim other than success. */
  refused: string[];
  /** How often the attacker got which status. */
  attacker: Record<string, number>;
  /** In megabytes, under attack. */
  peakMemory: number;
}

export class ServiceUnderAttack {
  private readonly dir: string;
  private readonly database: PostgresDatabase | undefined;
  readonly service: Program;

  private constructor(dir: string, database: PostgresDatabase | undefined, service: Program) {
    this.dir = dir;
    this.database = database;
    this.service = service;
  }

  static async open(engine: Engine): Promise<ServiceUnderAttack> {
    const dir = mkdtempSync(join(tmpdir(), 'airdate-hostile-'));
    const database = engine === 'postgres' ? await createPostgresDatabase() : undefined;
    const service = await startProgram('serve', {
      DATA_DIR: dir,
      ENCRYPTION_KEY: TEST_KEY,
      ADMIN_TOKEN,
      LOG_LEVEL: 'fatal',
      NODE_OPTIONS: `--import=${COLLECT_GARBAGE}`,
      AIRDATE_TEST_COLLECTED: collectedIn(dir),
      ...ALLOW,
      ...(database ? { DATABASE_URL: database.url } : {}),
    });
    return new ServiceUnderAttack(dir, database, service);
  }

  async close(): Promise<void> {
    await this.service.kill();
    await this.database?.drop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** The victim works in quiet, then while the attack runs. */
  async workUnder(attack: Attack, { rounds, signInEvery, people }: Work): Promise<Measured> {
    const { url } = this.service;
    const victim = await Victim.join(url, ADMIN_TOKEN, people);
    const quiet = await victim.work(rounds, signInEvery);
    const key = await newTenant(url, ADMIN_TOKEN, 'The Attackers');
    const target = { attack: attack.title, url, key, victims: victim.people };
    this.service.forgetPeak();
    const attacker = fork(ATTACKER, [JSON.stringify(target)]);
    try {
      await once(attacker, 'message');
      const attacked = await victim.work(rounds, signInEvery);
      const { peak: peakMemory } = this.service.memory();
      return { quiet, attacked, refused: victim.refused, attacker: await countsOf(attacker), peakMemory };
    } finally {
      attacker.kill('SIGKILL');
      await victim.leave();
    }
  }

  /** In megabytes: what the process keeps when its garbage is collected, once it has closed what the attacker left open. */
  async keptMemory(): Promise<number> {
    let kept = await this.collectGarbage();
    for (let isFalling = true; isFalling; ) {
      await delay(2_000);
      const now = await this.collectGarbage();
      isFalling = now < kept;
      kept = Math.min(kept, now);
    }
    return kept;
  }

  private async collectGarbage(): Promise<number> {
    const file = collectedIn(this.dir);
    rmSync(file, { force: true });
    process.kill(this.service.pid, 'SIGUSR2');
    await until('the garbage is collected', async () => existsSync(file));
    return Math.round(Number(readFileSync(file, 'utf8')) / 1024 ** 2);
  }
}

async function countsOf(attacker: ChildProcess): Promise<Record<string, number>> {
  attacker.send('how many?');
  const [counts] = await once(attacker, 'message');
  return counts;
}
