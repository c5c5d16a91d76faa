import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recount } from '../../src/db/recount.js';
import { COLUMNS } from '../../src/posts/import/columns.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { eventsOf } from '../support/service/event-streams.js';
import { type Organization, useService } from '../support/service/harness.js';
import { countOf, fileOf, importCsv, imported, manyLines } from '../support/service/import-files.js';
import { assertProblem, at, readPost } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const DAY_MS = 86_400_000;

onEngines('sqlite', 'POST /api/v1/posts/import', (engine) => {
  const service = useService(engine, {
    ...WITHOUT_WORKER,
    env: { ...WITHOUT_WORKER.env, WEBHOOK_ALLOW: 'files.test' },
  });
  const problemsOf = async (org: Organization, csv: string, more: object = {}) =>
    (await imported(org, csv, { dry_run: true, ...more })).problems.map(
      ({ line, lines, column, message }) => `${line}${lines > 1 ? `×${lines}` : ''} ${column}: ${message}`,
    );

  it('takes an export of drafts and scheduled posts as it is', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const labels: string[] = [];
    for (const name of ['Maps, old', 'Water'])
      labels.push((await org.call('POST', '/api/v1/labels', { name, colour: 'teal' })).json.data.id);
    const slot = at(service.clock.now() + DAY_MS);
    await imported(
      org,
      fileOf([
        {
          title: '=Five ways, "folded"',
          caption: '-Two\nlines',
          hashtags: '#maps',
          status: 'scheduled',
          scheduled_at: slot,
          social_account_id: account,
          privacy_level: 'SELF_ONLY',
          disable_comment: 'true',
          labels: labels.join(';'),
          cover_index: '2',
        },
        { title: 'A draft', post_type: 'video' },
      ]),
    );
    const { text } = await org.call('GET', '/api/v1/posts/export?status=draft,scheduled');
    const { ids } = await imported(org, text);
    const all = (await org.call('GET', '/api/v1/posts?sort=title')).json.data as Record<string, unknown>[];
    assert.equal(all.length, 4);
    const content = ({
      id: _id,
      created_at: _created,
      updated_at: _updated,
      ...rest
    }: (typeof all)[number]) => rest;
    const copies = all.filter(({ id }) => ids.includes(id as string));
    const originals = all.filter(({ id }) => !ids.includes(id as string));
    assert.deepEqual(copies.map(content), originals.map(content));
  });

  it('creates a post for each line, with every field', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const { json: label } = await org.call('POST', '/api/v1/labels', { name: 'Maps, old', colour: 'teal' });
    const { json: other } = await org.call('POST', '/api/v1/labels', { name: 'Water', colour: 'blue' });
    const slot = at(service.clock.now() + DAY_MS);
    const result = await imported(
      org,
      fileOf([
        {
          title: '=Five ways, "folded"',
          caption: 'Two\nlines',
          hashtags: '#maps',
          status: 'scheduled',
          scheduled_at: slot,
          social_account_id: account,
          privacy_level: 'SELF_ONLY',
          publish_mode: 'inbox',
          disable_comment: 'TRUE',
          brand_organic_toggle: 'true',
          labels: `water;${label.data.id}`,
          cover_index: '2',
        },
        { title: "'=A draft", post_type: 'video', labels: 'Maps, old', disable_duet: 'false' },
      ]),
    );
    assert.deepEqual(
      [result.lines, result.created, result.drafts, result.scheduled, result.media, result.problem_count],
      [2, 2, 1, 1, 0, 0],
    );
    const [first, second] = [
      await readPost(org, result.ids[0] ?? ''),
      await readPost(org, result.ids[1] ?? ''),
    ];
    assert.deepEqual(
      [first.title, first.caption, first.hashtags, first.status, first.scheduled_at, first.social_account_id],
      ['=Five ways, "folded"', 'Two\nlines', '#maps', 'scheduled', slot, account],
    );
    assert.deepEqual(
      [first.privacy_level, first.publish_mode, first.disable_comment, first.disable_duet, first.cover_index],
      ['SELF_ONLY', 'inbox', true, false, 2],
    );
    assert.deepEqual(first.labels, [other.data.id, label.data.id]);
    assert.deepEqual(
      [second.title, second.post_type, second.status, second.labels, second.privacy_level],
      ['=A draft', 'video', 'draft', [label.data.id], null],
    );
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
    const found = await org.call('GET', `/api/v1/posts?q=five&label=${other.data.id}`);
    assert.deepEqual(
      found.json.data.map(({ id }: { id: string }) => id),
      [first.id],
    );
    const events = await eventsOf(org);
    assert.deepEqual(
      events
        .filter(({ type }) => type === 'post.scheduled')
        .map(({ data }) => [data.post_id, data.scheduled_at]),
      [[first.id, slot]],
    );
  });

  it('reads local times in the time zone of the request', async () => {
    const org = await service.newOrganization();
    service.clock.stopAt(Date.parse('2026-11-17T00:00:00Z'));
    const lines = [
      { title: 'Winter', status: 'draft', scheduled_at: '2026-12-01 18:00' },
      { title: 'Summer', status: 'draft', scheduled_at: '2027-07-01T18:00:30' },
      { title: 'Offset', status: 'draft', scheduled_at: '2027-07-01T18:00:00+05:30' },
    ];
    const { ids, local_times } = await imported(org, fileOf(lines), { time_zone: 'Europe/Berlin' });
    assert.equal(local_times, 2);
    const times = await Promise.all(ids.map(async (id) => (await readPost(org, id)).scheduled_at));
    assert.deepEqual(times, ['2026-12-01T17:00:00Z', '2027-07-01T16:00:30Z', '2027-07-01T12:30:00Z']);
    assertProblem(
      await importCsv(org, fileOf(lines), { time_zone: 'Mars/Olympus' }),
      400,
      'validation_failed',
    );
    service.clock.resume();
  });

  it('asks once for the time zone of times that have none', async () => {
    const org = await service.newOrganization();
    const csv = fileOf(
      manyLines(60, (i) => ({
        status: 'draft',
        scheduled_at: i === 0 ? '2030-01-01T10:00Z' : '2030-01-01 10:00',
      })),
    );
    const { problems } = await imported(org, csv, { dry_run: true });
    assert.deepEqual(
      problems.map(({ line, lines, column, parameter }) => [line, lines, column, parameter]),
      [[3, 59, 'scheduled_at', 'time_zone']],
    );
    const refused = await importCsv(org, csv);
    assert.match(refused.json.errors[0].message, /^line 3 and 58 more, scheduled_at: has no time zone/);
    assert.deepEqual(await problemsOf(org, csv, { time_zone: 'Asia/Tokyo' }), []);
  });

  it('says what to write for an hour that clocks skip or show twice', async () => {
    const org = await service.newOrganization();
    const file = (zone: Record<string, string>) =>
      fileOf(Object.entries(zone).map(([title, scheduled_at]) => ({ title, scheduled_at, status: 'draft' })));
    const ofZone = async (time_zone: string, times: Record<string, string>) => {
      const { problems } = await imported(org, file(times), { dry_run: true, time_zone });
      const mended = problems.flatMap(({ suggestions }) => suggestions.map((text) => [text, text]));
      assert.deepEqual(await problemsOf(org, file(Object.fromEntries(mended)), { time_zone }), []);
      return problems.map(({ line, message }) => `${line}: ${message}`);
    };
    assert.deepEqual(
      await ofZone('Europe/Berlin', { Skipped: '2032-03-28 02:30', Twice: '2032-10-31 02:30:10' }),
      [
        '2: does not exist in Europe/Berlin, where clocks go forward at that time; write another, such as 2032-03-28T03:30+02:00',
        '3: occurs twice in Europe/Berlin, where clocks go back at that time; write 2032-10-31T02:30:10+02:00 for the first, or 2032-10-31T02:30:10+01:00',
      ],
    );
    assert.deepEqual(await ofZone('America/New_York', { Twice: '2032-11-07 01:30' }), [
      '2: occurs twice in America/New_York, where clocks go back at that time; write 2032-11-07T01:30-04:00 for the first, or 2032-11-07T01:30-05:00',
    ]);
  });

  it('asks once whether lines with a time and no status are scheduled', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const slot = at(service.clock.now() + DAY_MS);
    const times = manyLines(60, () => ({ scheduled_at: slot }));
    const csv = fileOf([...times, { title: 'No time' }]);
    const { problem_count, problems } = await imported(org, csv, { dry_run: true });
    assert.deepEqual(
      [problem_count, problems.map(({ line, lines, column, parameter }) => [line, lines, column, parameter])],
      [1, [[2, 60, 'status', 'default_status']]],
    );
    const kept = await imported(org, csv, { default_status: 'draft' });
    assert.deepEqual([kept.drafts, kept.scheduled], [61, 0]);
    const post = await readPost(org, kept.ids[0] ?? '');
    assert.deepEqual([post.status, post.scheduled_at], ['draft', slot]);

    // Nor is what scheduled posts lack alike told 60 times.
    assert.deepEqual(await problemsOf(org, csv, { default_status: 'scheduled' }), [
      '2×60 account: is required for a scheduled post',
      '2×60 privacy_level: is required for a scheduled post',
    ]);
    const whole = fileOf([
      ...times.map((line) => ({ ...line, social_account_id: account, privacy_level: 'SELF_ONLY' })),
      { title: 'No time' },
      { title: 'Stays a draft', status: 'draft', scheduled_at: slot },
    ]);
    const result = await imported(org, whole, { default_status: 'scheduled' });
    assert.deepEqual([result.drafts, result.scheduled, result.created], [2, 60, 62]);
  });

  it('creates the labels that it names, if it may, in the commit of the posts', async () => {
    const org = await service.newOrganization();
    await org.call('POST', '/api/v1/labels', { name: 'Water', colour: 'red' });
    const csv = fileOf([
      { title: 'One', labels: 'water, Maps' },
      { title: 'Two', labels: 'maps;Folded  maps' },
      { title: 'Three', labels: 'MAPS' },
    ]);
    const labels = async () =>
      (await org.call('GET', '/api/v1/labels')).json.data as { id: string; name: string; colour: string }[];
    const { problems } = await imported(org, csv, { dry_run: true });
    assert.deepEqual(
      problems.map(({ line, lines, column, label, parameter }) => [line, lines, column, label, parameter]),
      [
        [2, 3, 'labels', 'Maps', 'create_labels'],
        [3, 1, 'labels', 'Folded  maps', 'create_labels'],
      ],
    );
    const checked = await imported(org, csv, { dry_run: true, create_labels: true });
    assert.deepEqual([checked.problem_count, checked.new_labels], [0, ['Maps', 'Folded  maps']]);
    assert.equal((await labels()).length, 1);

    const { ids } = await imported(org, csv, { create_labels: true });
    const byName = new Map((await labels()).map(({ id, name }) => [name, id]));
    assert.deepEqual([...byName.keys()], ['Folded  maps', 'Maps', 'Water']);
    // Each has the colour that is used least.
    assert.deepEqual(
      (await labels()).map(({ colour }) => colour),
      ['yellow', 'orange', 'red'],
    );
    assert.deepEqual((await readPost(org, ids[0] ?? '')).labels, [byName.get('Water'), byName.get('Maps')]);
    assert.deepEqual((await readPost(org, ids[2] ?? '')).labels, [byName.get('Maps')]);
    assert.deepEqual((await imported(org, csv)).new_labels, []);
    const many = fileOf([
      { title: 'Long', labels: 'x'.repeat(51) },
      { title: 'Unknown id', labels: org.id },
      ...manyLines(100, (i) => ({ labels: `Number ${i}` })),
    ]);
    assert.deepEqual(await problemsOf(org, many, { create_labels: true }), [
      '101×3 labels: “Number 97” would be one label too many: an organization can have 100',
      `2 labels: ${'x'.repeat(51)} is not a label: names have at most 50 characters`,
      `3 labels: ${org.id} is not a label of your organization`,
    ]);
    assertProblem(await importCsv(org, many, { create_labels: true }), 400, 'validation_failed');
    assert.equal((await labels()).length, 3);
  });

  it('gives every problem by line and column in a dry run, and creates nothing', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const soon = at(service.clock.now() + 60_000);
    const later = at(service.clock.now() + DAY_MS);
    const csv = fileOf([
      { title: 'Fine', status: 'draft' },
      { caption: 'No title' },
      { title: 'x'.repeat(501), caption: '😀'.repeat(2201), hashtags: 'h'.repeat(501) },
      {
        title: 'Too soon',
        status: 'scheduled',
        scheduled_at: soon,
        social_account_id: account,
        privacy_level: 'SELF_ONLY',
      },
      { title: 'Incomplete', status: 'scheduled' },
      { title: 'Unsaid', scheduled_at: later },
      { title: 'Words', status: 'posted', post_type: 'text', privacy_level: 'ALL', disable_stitch: 'yes' },
      { title: 'References', social_account_id: org.id, labels: 'None such' },
      { title: 'Numbers', cover_index: '35', scheduled_at: '12/01/2027' },
      { title: 'Cover', cover_ms: '5' },
      { title: 'Account', account: '@none.there' },
      { title: 'Media', media_urls: 'http://127.0.0.1/a.png' },
      {
        title: 'Two videos',
        post_type: 'video',
        media_urls: 'http://files.test/a.mp4 http://files.test/b.mp4',
      },
    ]);
    assert.deepEqual(await problemsOf(org, csv), [
      '6 account: is required for a scheduled post',
      '6 privacy_level: is required for a scheduled post',
      '7×2 status: is required with a time; send default_status for the whole file: scheduled publishes the posts at their times, draft only keeps the times',
      '9 labels: “None such” is not a label of your organization; create it, or send create_labels',
      '3 title: is required',
      '4 title: must have at most 500 characters',
      '4 caption: must have at most 2200 characters',
      '4 hashtags: must have at most 500 characters',
      '5 scheduled_at: must be at least 5 minutes from now',
      '6 scheduled_at: is required for a scheduled post',
      '8 status: must be one of scheduled, draft',
      '8 privacy_level: must be one of PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS, FOLLOWER_OF_CREATOR, SELF_ONLY',
      '8 post_type: must be one of slides, video',
      '8 disable_stitch: must be true or false',
      '9 social_account_id: is not a connected account of your organization',
      '10 scheduled_at: must be a date and time such as 2030-12-01 18:00 or 2030-12-01T18:00:00Z',
      '10 cover_index: must be a whole number from 0 to 34',
      '11 cover_ms: is only for posts of the type video; use cover_index',
      '12 account: is not the user name of a connected account of your organization',
      '13 media_urls: http://127.0.0.1/a.png must begin with https:// unless the operator allows it (WEBHOOK_ALLOW)',
      '14 media_urls: must be one address for a video',
    ]);
    const refused = await importCsv(org, csv);
    assertProblem(refused, 400, 'validation_failed');
    const { detail, errors } = refused.json;
    assert.match(detail, /21 problems, so nothing was created/);
    assert.deepEqual(errors[0], {
      pointer: '/csv',
      message: 'line 6, account: is required for a scheduled post',
    });
    assert.equal(await countOf(org), 0);
  });

  it('names the account by its user name', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    await service.app.db.transact((tx) =>
      tx.updateTable('social_accounts').set({ username: 'map.folder' }).where('id', '=', account).execute(),
    );
    const { ids } = await imported(org, fileOf([{ title: 'By name', account: '@Map.Folder' }]));
    assert.equal((await readPost(org, ids[0] ?? '')).social_account_id, account);
    assert.deepEqual(
      await problemsOf(org, fileOf([{ title: 'Both', account: 'map.folder', social_account_id: account }])),
      ['2 account: cannot be used together with social_account_id'],
    );
  });

  it('refuses unknown, doubled and missing columns, and ignores those of an export', async () => {
    const org = await service.newOrganization();
    assert.deepEqual(await problemsOf(org, 'titel,Shedule_At\nA,B'), [
      '1 titel: is an unknown column. Did you mean “title”?',
      '1 shedule_at: is an unknown column. Did you mean “scheduled_at”?',
    ]);
    // Nor do they hide what else is wrong.
    const whole = 'titel,Shedule_At,status,views,privacy_level\nA,2030-01-01,posted,3,\nB,,scheduled,,ALL';
    assert.deepEqual(await problemsOf(org, whole), [
      '3 account: is required for a scheduled post',
      '1 titel: is an unknown column. Did you mean “title”?',
      '1 shedule_at: is an unknown column. Did you mean “scheduled_at”?',
      `1 views: is an unknown column. The columns are ${[...COLUMNS.keys()].join(', ')}`,
      '2 status: must be one of scheduled, draft',
      '3 privacy_level: must be one of PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS, FOLLOWER_OF_CREATOR, SELF_ONLY',
    ]);
    assert.match(
      (await problemsOf(org, 'title,views,titel\nA,B')).join(),
      /^1 views: is an unknown column. The columns are title, .*,1 titel: is an unknown column. The columns/,
    );
    assert.deepEqual(await problemsOf(org, 'title,title\nA,B'), ['1 title: is there twice']);
    assert.deepEqual(await problemsOf(org, 'caption\nA'), ['1 title: is a required column']);
    assert.deepEqual(await problemsOf(org, 'title\n'), [
      '1 null: is the only line: there is no post below the header',
    ]);
    assert.deepEqual(await problemsOf(org, 'title\nA,B\n'), [
      '2 null: has text in column 2, which the header doesn’t name',
    ]);
    assert.deepEqual(await problemsOf(org, 'title,caption\nA,"B\nC,D'), [
      '2 caption: begins with a quotation mark that is never closed',
    ]);
    assert.deepEqual(await problemsOf(org, 'id,Title,created_at,\nx,A,y,\n'), []);
  });

  it('returns exported texts as they were', async () => {
    const org = await service.newOrganization();
    const captions = [
      'hi\n@friend',
      '=1+1',
      "'=x",
      'a;=1;b',
      '\t+1',
      ' ',
      '＝1',
      'x\r\n-y;"=z',
      "it's",
      "'",
      '"',
    ];
    for (const caption of captions) await org.addPost({ title: '@title', caption });
    const { text } = await org.call('GET', '/api/v1/posts/export');
    const other = await service.newOrganization();
    const { ids } = await imported(other, text);
    const copies = await Promise.all(ids.map(async (id) => (await readPost(other, id)).caption));
    assert.deepEqual(copies.reverse(), captions);
  });

  it('leaves one row in the audit log', async () => {
    const org = await service.newOrganization();
    await imported(org, fileOf(manyLines(4)));
    const { json } = await org.call('GET', '/api/v1/audit?action=post.imported');
    assert.deepEqual(
      json.data.map(({ details }: { details: object }) => details),
      [{ posts: 4, scheduled: 0, files: 0 }],
    );
  });
});
