// Which files are fetched first, and when an import says that its files will be there.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { FETCHING, useFileHost } from '../support/service/fetched-files.js';
import { type Organization, useService } from '../support/service/harness.js';
import { fileOf, imported } from '../support/service/import-files.js';
import { at, changePost } from '../support/service/posts.js';
import { media, WITHOUT_WORKER } from '../support/service/uploads.js';

const HOUR_MS = 3_600_000;

onEngines('sqlite', 'Files that are fetched', (engine) => {
  const service = useService(engine, { ...WITHOUT_WORKER, env: { ...WITHOUT_WORKER.env, ...FETCHING } });
  const host = useFileHost(() => service.app);

  /** Drafts, or posts in so many hours, each with one file. */
  async function add(org: Organization, name: string, hours: (number | null)[]) {
    const account = await org.addAccount();
    return imported(
      org,
      fileOf(
        hours.map((inHours, i) => ({
          title: `${name} ${i}`,
          media_urls: host.serve(`/${name}/${i}.jpg`, 'small.jpg'),
          ...(inHours === null
            ? { status: 'draft' }
            : {
                status: 'scheduled',
                scheduled_at: at(service.clock.now() + inHours * HOUR_MS),
                social_account_id: account,
                privacy_level: 'SELF_ONLY',
              }),
        })),
      ),
    );
  }
  const requestedOf = (name: string) => host.requested.filter((path) => path.startsWith(`/${name}/`));

  it('come by the slots of their posts, drafts last, also after a slot was moved', async () => {
    const org = await service.newOrganization();
    const { ids } = await add(org, 'slots', [null, 9, 5, 7, 3]);
    await changePost(org, ids[1] ?? '', { scheduled_at: at(service.clock.now() + HOUR_MS) });
    await changePost(org, ids[4] ?? '', { status: 'draft' });
    await host.fetchDue();
    // Two at a time, so the order within a pair is open.
    const [first, second, third, ...drafts] = requestedOf('slots').map((path) => path[7]);
    assert.deepEqual([[first, second].sort(), third, drafts.sort()], [['1', '2'], '3', ['0', '4']]);
  });

  it('come from organizations in turn, however many files one of them has', async () => {
    const large = [await service.newOrganization(), await service.newOrganization()];
    for (const [i, org] of large.entries()) await add(org, `large${i}`, Array(12).fill(1));
    const small = await service.newOrganization();
    await add(small, 'small', [2, 2]);
    const before = host.requested.length;
    await host.fetchDue();
    const order = host.requested.slice(before).map((path) => path.split('/')[1]);
    assert.equal(order.length, 26);
    assert.ok(order.lastIndexOf('small') < 8, order.join(' '));
  });

  it('are there when the import said, at a pace that does not change', async () => {
    const org = await service.newOrganization();
    const { clock } = service;
    const files = 10;
    const fileMs = 3_000;
    // Each pair takes three seconds of the service's clock.
    const open: ServerResponse[] = [];
    const serve = (name: string) => {
      for (let i = 0; i < files; i++)
        host.serve(`/${name}/${i}.jpg`, (_, response) => {
          if (open.push(response) < 2) return;
          clock.advance(fileMs);
          for (const each of open.splice(0)) each.end(media('small.jpg'));
        });
    };
    const take = async (name: string) => {
      const began = clock.now();
      const promised = await add(org, name, Array(files).fill(null));
      serve(name);
      await host.fetchDue();
      assert.equal(promised.fetch?.files, files);
      return { forecast: Date.parse(promised.fetch?.done_by ?? '') - began, took: clock.now() - began };
    };
    clock.stopAt(Math.ceil(clock.now() / 1000) * 1000);
    try {
      await take('unknown');
      const { forecast, took } = await take('known');
      assert.deepEqual([forecast, took], [(files / 2) * fileMs, (files / 2) * fileMs]);
    } finally {
      clock.resume();
    }
  });

  it('are not forecast if there are none, or in a dry run', async () => {
    const org = await service.newOrganization();
    assert.equal('fetch' in (await imported(org, fileOf([{ title: 'A' }]))), false);
    const url = host.serve('/dry.jpg', 'small.jpg');
    assert.equal(
      'fetch' in (await imported(org, fileOf([{ title: 'A', media_urls: url }]), { dry_run: true })),
      false,
    );
  });
});
