// A change overwrites only what its writer has seen: the version of a post, and If-Match.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { responseOf } from '@airdate/sdk';
import { sql } from 'kysely';
import { touchPost } from '../../src/posts/unrecorded.js';
import { enterSafeMode } from '../../src/restore-safety/safe-mode.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { aPost, get, ifMatch, POSTS, tagOf } from '../support/service/etags.js';
import { useService } from '../support/service/harness.js';
import {
  addPostIn,
  assertProblem,
  changePost,
  readPost,
  setPost,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import type { Answer } from '../support/service/send.js';

onEngines('sqlite', 'The version of a post', (engine) => {
  const service = useService(engine);
  const write = (statement: ReturnType<typeof sql>) => service.app.db.transact((tx) => statement.execute(tx));
  const versionOf = async (id: string) =>
    (
      await service.app.db.read
        .selectFrom('posts')
        .select('version')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).version;

  it('is raised by a trigger, so a write by an older process, which does not know the column, counts too', async () => {
    const org = await service.newOrganization();
    const { id, path, tag } = await aPost(org);
    assert.equal(await versionOf(id), 1);
    await write(sql`update posts set caption = 'from an older process' where id = ${id}`);
    assert.equal(await versionOf(id), 2);
    assert.notEqual(tagOf(await get(org, path)), tag);
    assertProblem(await org.call('PATCH', path, { title: 'x' }, ifMatch(tag)), 412, 'precondition_failed');
  });

  it('rises by one for each row of a statement that changes many', async () => {
    const org = await service.newOrganization();
    const ids = [await org.addPost(), await org.addPost(), await org.addPost()];
    const untouched = await (await service.newOrganization()).addPost();
    await write(sql`update posts set caption = 'all' where org_id = ${org.id}`);
    await org.call('PATCH', `${POSTS}/batch`, { ids: ids.slice(0, 2), action: 'archive' });
    assert.deepEqual(await Promise.all(ids.map(versionOf)), [3, 3, 2]);
    assert.equal(await versionOf(untouched), 1);
  });

  it('rises by one with a PATCH, and not with an empty one', async () => {
    const org = await service.newOrganization();
    const { id, path, tag } = await aPost(org);
    assert.equal(tagOf(await org.call('PATCH', path, {})), tag);
    assert.equal(await versionOf(id), 1);
    const patched = await org.call('PATCH', path, { title: 'New' });
    assert.equal(await versionOf(id), 2);
    assert.equal(tagOf(patched), tagOf(await get(org, path)));
    assert.notEqual(tagOf(patched), tag);
  });

  it('rises when the files of the post change', async () => {
    const org = await service.newOrganization();
    const { id, path, tag } = await aPost(org);
    await service.app.db.transact((tx) => touchPost(service.app, tx, { org_id: org.id, id }));
    assert.notEqual(tagOf(await get(org, path)), tag);
  });

  it('has another tag in another epoch, at once and in every process', async () => {
    const org = await service.newOrganization();
    const { path, tag } = await aPost(org);
    // As another process does: this one is not told.
    await service.app.db.transact((tx) =>
      enterSafeMode(tx, { reason: 'A test.', above: 0, now: service.clock.now() }),
    );
    const after = tagOf(await get(org, path));
    assert.notEqual(after, tag);
    assert.equal((await org.call('PATCH', path, { title: 'x' }, ifMatch(tag))).status, 412);
    const created = await org.call('POST', POSTS, { title: 'In the new epoch' });
    assert.equal(tagOf(created), tagOf(await get(org, created.headers.get('location') as string)));
    assert.equal((await org.call('PATCH', path, { title: 'x' }, ifMatch(after))).status, 200);
  });

  it('lets one of two concurrent changes with the same If-Match through', async () => {
    const org = await service.newOrganization();
    const { path, tag } = await aPost(org);
    const titles = ['One', 'Two', 'Three', 'Four'];
    const answers = await Promise.all(
      titles.map((title) => org.call('PATCH', path, { title }, ifMatch(tag))),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 412, 412, 412]);
    const winner = answers.find(({ status }) => status === 200) as Answer;
    assert.deepEqual((await get(org, path)).json, winner.json);
  });

  it('is not a field of the API', async () => {
    const org = await service.newOrganization();
    const { id, path } = await aPost(org);
    const answers = [
      await get(org, path),
      await get(org, POSTS),
      await get(org, `${POSTS}?status=draft`),
      await org.call('PATCH', path, { title: 'New' }),
    ];
    for (const { text } of answers) assert.doesNotMatch(text, /"(version|epoch)"/);
    assert.equal((await org.call('PATCH', path, { version: 9 })).status, 400);
    assert.equal(await versionOf(id), 2);
  });
});

onEngines('postgres', 'If-Match', (engine) => {
  const service = useService(engine);

  it('that is stale gives 412 on PATCH and DELETE, and nothing is changed', async () => {
    const org = await service.newOrganization();
    const { id, path, tag } = await aPost(org);
    const theirs = await changePost(org, id, { title: 'Theirs', caption: 'Seen by one of us' });
    for (const answer of [
      await org.call('PATCH', path, { title: 'Mine again' }, ifMatch(tag)),
      await org.call('PATCH', path, {}, ifMatch(tag)),
      await org.call('DELETE', path, undefined, ifMatch(tag)),
    ]) {
      assertProblem(answer, 412, 'precondition_failed');
      assert.equal(answer.headers.get('etag'), null);
    }
    assert.deepEqual(await readPost(org, id), theirs);
  });

  it('that is current lets PATCH and DELETE through', async () => {
    const org = await service.newOrganization();
    const { path, tag } = await aPost(org);
    const changed = await org.call('PATCH', path, { title: 'New' }, ifMatch(tag));
    assert.equal(changed.status, 200);
    assert.equal((await org.call('DELETE', path, undefined, ifMatch(tagOf(changed)))).status, 204);
    assert.equal((await get(org, path)).status, 404);
  });

  it('is typed in the SDK, whose responses show the ETag', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const ifMatch = responseOf(await org.sdk.posts.get(id))?.etag;
    const change = () => org.sdk.posts.update(id, { title: 'New' }, { ifMatch });
    assert.equal((await change()).title, 'New');
    await assert.rejects(change(), { name: 'Conflict', code: 'precondition_failed' });
  });

  it('takes a list and *, and compares strongly', async () => {
    const org = await service.newOrganization();
    const { path } = await aPost(org);
    const now = async () => tagOf(await get(org, path));
    const cases: [(tag: string) => string, number][] = [
      [() => '*', 200],
      [(tag) => `"other",${tag}`, 200],
      [(tag) => `"other" , W/"x", ${tag} `, 200],
      [(tag) => `W/${tag}`, 412],
      [() => '"other"', 412],
      [() => '"a", "b"', 412],
    ];
    for (const [header, status] of cases) {
      const sent = header(await now());
      assert.equal((await org.call('PATCH', path, { title: sent }, ifMatch(sent))).status, status, sent);
    }
  });

  it('that is malformed gives 400, and nothing is changed', async () => {
    const org = await service.newOrganization();
    const { id, path, tag } = await aPost(org);
    const before = await readPost(org, id);
    for (const header of ['0-1', '', ',', `${tag} ${tag}`, '"a', '*, "a"', `w/${tag}`, 'W/', '"a"b"'])
      for (const method of ['PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? { title: 'x' } : undefined;
        const answer = await org.call(method, path, body, ifMatch(header));
        assertProblem(answer, 400, 'validation_failed');
        assert.equal(answer.json.errors[0].pointer, '/If-Match', header);
      }
    assert.deepEqual(await readPost(org, id), before);
  });

  it('changes nothing about an unknown post, or one whose state forbids the change', async () => {
    const org = await service.newOrganization();
    for (const method of ['PATCH', 'DELETE'])
      for (const tag of ['*', '"0-1"']) {
        const body = method === 'PATCH' ? { title: 'x' } : undefined;
        assert.equal((await org.call(method, `${POSTS}/${UNKNOWN_ID}`, body, ifMatch(tag))).status, 404);
      }
    const posted = await addPostIn(service, org, 'posted');
    assert.equal(
      (await org.call('PATCH', `${POSTS}/${posted}`, { title: 'x' }, ifMatch('"old"'))).status,
      409,
    );
    assert.equal((await org.call('DELETE', `${POSTS}/${posted}`, undefined, ifMatch('"old"'))).status, 409);
  });
});

onEngines('sqlite', 'If-Match with an Idempotency-Key', (engine) => {
  const service = useService(engine);

  it('comes after a replay: the first response is repeated, with the ETag it had', async () => {
    const org = await service.newOrganization();
    const { id, path, tag } = await aPost(org);
    const send = (match: string) =>
      org.call('PATCH', path, { title: 'Once' }, { 'idempotency-key': 'once', ...ifMatch(match) });
    const first = await send(tag);
    assert.equal(first.status, 200);
    await changePost(org, id, { title: 'Later' });
    for (const match of [tag, '"other"', 'malformed']) {
      const again = await send(match);
      assert.deepEqual([again.status, again.text, tagOf(again)], [200, first.text, tagOf(first)]);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
    }
    assert.equal((await readPost(org, id)).title, 'Later');
    // The tag of a replay is the tag of what it shows, so the next change with it is refused.
    assert.equal((await org.call('PATCH', path, { title: 'x' }, ifMatch(tagOf(first)))).status, 412);
  });

  it('a replayed create returns the original ETag', async () => {
    const org = await service.newOrganization();
    const send = () => org.call('POST', POSTS, { title: 'A post' }, { 'idempotency-key': 'create' });
    const first = await send();
    await setPost(service, first.json.data.id, { caption: 'Later' });
    assert.equal(tagOf(await send()), tagOf(first));
  });

  it('that is stale leaves the key free: the same request may be sent again with the new tag', async () => {
    const org = await service.newOrganization();
    const { id, path, tag } = await aPost(org);
    await changePost(org, id, { caption: 'Theirs' });
    const send = (match: string) =>
      org.call('PATCH', path, { title: 'Mine' }, { 'idempotency-key': 'mine', ...ifMatch(match) });
    for (const _ of [1, 2]) assertProblem(await send(tag), 412, 'precondition_failed');
    const done = await send(tagOf(await get(org, path)));
    assert.deepEqual([done.status, done.headers.get('idempotency-replayed')], [200, null]);
    assert.deepEqual((await readPost(org, id)).title, 'Mine');
  });
});
