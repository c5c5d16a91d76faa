// npm run recover, beside a running service: for those whom no one else can help.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, it } from 'node:test';
import { promisify } from 'node:util';
import { Installation, type Running } from '../support/installations/restore.js';
import { PROGRAM } from '../support/programs/joined-programs.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { Browser, newPerson, PASSWORD, type TestPerson, tokenIn } from '../support/service/people.js';

onEngines('both', 'npm run recover', (engine) => {
  let installation: Installation;
  let running: Running;
  let owner: TestPerson;
  before(async () => {
    installation = await Installation.make(engine);
    running = await installation.start();
    const org = await installation.newOrganization(running);
    owner = await newPerson(running, org.id, 'owner', { withPassword: true });
  });
  after(() => installation.remove());

  const recover = (...args: string[]) =>
    promisify(execFile)(process.execPath, [PROGRAM, 'recover', ...args], {
      env: { ...installation.environment(), PUBLIC_URL: 'https://airdate.example.com' },
    });
  const personNow = () =>
    running.app.db.read.selectFrom('people').selectAll().where('id', '=', owner.id).executeTakeFirstOrThrow();
  const factorsNow = async () =>
    (await running.app.db.read.selectFrom('person_factors').select('id').execute()).length;
  const actsOfOperator = async () => {
    const rows = running.app.db.read
      .selectFrom('audit')
      .select('action')
      .where('actor_kind', '=', 'operator')
      .where('target_id', '=', owner.id)
      .orderBy('id');
    return (await rows.execute()).map(({ action }) => action);
  };
  const inOutput = (stdout: string) => {
    const [url = ''] = /https:\S+$/.exec(stdout.trim()) ?? [];
    assert.match(url, /^https:\/\/airdate\.example\.com\/reset#/, stdout);
    return tokenIn(url);
  };

  it('prints a link that sets a new password, and leaves the rest as it is', async () => {
    await running.app.db.transact((tx) =>
      tx
        .insertInto('person_factors')
        .values({
          org_id: owner.orgId,
          id: running.app.newId(),
          person_id: owner.id,
          kind: 'totp',
          name: 'Phone',
          secret: running.app.seal.seal('a secret', ['a factor']),
          last_step: 0,
          created_at: 1,
          confirmed_at: 1,
          last_used_at: null,
        })
        .execute(),
    );
    const { stdout } = await recover(owner.email.toUpperCase());
    const body = { token: inOutput(stdout), new_password: `${PASSWORD}, and more` };
    const reset = await new Browser(running.url).call('POST', '/api/v1/auth/reset', body);
    assert.equal(reset.status, 204, reset.text);
    assert.deepEqual([await factorsNow(), (await personNow()).email_verified_at], [1, null]);
    assert.deepEqual(await actsOfOperator(), ['member.reset_link_created']);
  });

  it('with --factors and --verify also removes second factors and verifies the email', async () => {
    const { stdout } = await recover('--factors', owner.email, '--verify');
    inOutput(stdout);
    assert.equal(await factorsNow(), 0);
    assert.notEqual((await personNow()).email_verified_at, null);
    assert.deepEqual((await actsOfOperator()).slice(1), [
      'person.factors_removed',
      'person.email_verified',
      'member.reset_link_created',
    ]);
  });

  it('says what is wrong with its arguments', async () => {
    await assert.rejects(
      recover('stranger@example.com'),
      /No one has the email stranger@example\.com here\./,
    );
    await assert.rejects(recover(), /Name a person: npm run recover -- <email>/);
    await assert.rejects(recover(owner.email, '--all'), /Unknown option '--all'/);
  });
});
