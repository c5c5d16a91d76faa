// Tokens are sealed again with a new key while another process uses or renews them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { callAsAccount } from '../../src/accounts/platform-calls.js';
import { renewalLease } from '../../src/accounts/stored-tokens.js';
import type { App } from '../../src/app/app.js';
import { createSeal, keyIdOf } from '../../src/core/seal.js';
import { openApp } from '../../src/open-app.js';
import { createResealRun } from '../../src/worker/reseal.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Creator, HOUR_MS, useTidyWorld } from '../support/world/world.js';

const NEW_KEY = randomBytes(32).toString('hex');
const newKeyId = createSeal(Buffer.from(NEW_KEY, 'hex')).keyIds[0];

onEngines('both', 'Tokens that are sealed again', (engine) => {
  const world = useTidyWorld(engine, { env: { ENCRYPTION_KEYS_OLD: NEW_KEY } });
  const { watched, advance, creator, accountRow } = world;

  const ask = (app: App, { account }: Creator) =>
    callAsAccount(app, account, (token, signal, connector) => connector.creator(token, signal));

  /** Returns whether the tokens of the account are sealed with the new key afterwards. */
  async function reseal({ accountId }: Creator): Promise<boolean> {
    const { config } = world.app;
    const keys = {
      encryptionKey: Buffer.from(NEW_KEY, 'hex'),
      oldEncryptionKeys: [config.encryptionKey as Buffer],
    };
    const app = await openApp({ ...config, ...keys }, { clock: world.service.clock, log: silentLog });
    try {
      const run = createResealRun(app);
      // A pass may take several runs on a busy machine, and a second pass ends the rotation.
      for (let i = 0; i < 6; i++) await run();
      const { access_token } = await accountRow(accountId);
      return keyIdOf(access_token as string) === app.seal.keyIds[0];
    } finally {
      await app.close();
    }
  }

  const keyOfDatabase = async () => {
    const row = await world.app.db.read.selectFrom('key_check').select('sealed').executeTakeFirstOrThrow();
    return keyIdOf(row.sealed);
  };

  it('are left alone while a process renews them', async () => {
    const one = await creator();
    advance(2 * HOUR_MS);
    let isSealedAgain = true;
    watched.instead = {
      renew: async (tokens, signal) => {
        const answer = await watched.real?.renew(tokens, signal);
        isSealedAgain = await reseal(one);
        return answer as never;
      },
    };
    const answer = await ask(world.app, one);
    watched.instead = {};
    assert.deepEqual([answer.kind, isSealedAgain], ['ok', false]);
    assert.notEqual(await keyOfDatabase(), newKeyId, 'a start without the old key would not be refused');
    assert.ok(await reseal(one));
    assert.equal(await keyOfDatabase(), newKeyId);
  });

  it('are still renewed by a process that read them before', async () => {
    const one = await creator();
    let isSealedAgain = false;
    watched.instead = {
      creator: async (token, signal) => {
        if (isSealedAgain) return watched.real?.creator(token, signal) as never;
        isSealedAgain = await reseal(one);
        return { kind: 'reauthorize', cure: 'refresh', code: 'access_token_invalid', reason: 'Too old (x)' };
      },
    };
    watched.calls = [];
    const answer = await ask(world.app, one);
    watched.instead = {};
    assert.ok(isSealedAgain);
    assert.equal(answer.kind, 'ok');
    assert.equal(watched.count('renew'), 1);
  });

  it('are replaced by the new tokens of a process that was so slow that its lock has expired', async () => {
    const one = await creator();
    advance(2 * HOUR_MS);
    let isSealedAgain = false;
    watched.instead = {
      renew: async (tokens, signal) => {
        const answer = await watched.real?.renew(tokens, signal);
        advance(renewalLease.ms(world.app) + 1_000);
        isSealedAgain = await reseal(one);
        return answer as never;
      },
    };
    await ask(world.app, one);
    watched.instead = {};
    assert.ok(isSealedAgain);
    advance(2 * HOUR_MS);
    // Needs the refresh token that the platform gave out last.
    assert.equal((await ask(world.app, one)).kind, 'ok');
    assert.equal((await accountRow(one.accountId)).status, 'connected');
  });
});
