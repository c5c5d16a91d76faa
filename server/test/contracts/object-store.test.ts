// Every object store keeps the contract: the one on disk, S3 on the strict stand-in, and on a real server where TEST_S3_ENDPOINT names one.
import assert from 'node:assert/strict';
import fs, { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it, mock } from 'node:test';
import type { Receive } from '../../src/assets/take-upload.js';
import { readConfig } from '../../src/config/config.js';
import { diskRoutes } from '../../src/http/disk-routes.js';
import { bareServer } from '../../src/http/server.js';
import { openDiskStore } from '../../src/object-store/disk/disk.js';
import { openS3Store } from '../../src/object-store/s3/s3.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { everyday } from '../support/runner/test-tiers.js';
import { TestClock } from '../support/service/harness.js';
import { startS3Server } from '../support/storage/s3-server.js';
import { objectStoreContract, type Traits } from './object-store/object-store-contract.js';

const MANY_MUTATIONS = 5_000;
/** Every kind of change comes up many times in these as well. */
const MUTATIONS = everyday(20, MANY_MUTATIONS);

/** Only the store and the routes of its URLs, which admit every upload and do nothing when it arrives. */
async function startDiskStore() {
  const root = mkdtempSync(join(tmpdir(), 'airdate-files-'));
  const clock = new TestClock();
  let url = '';
  const store = await openDiskStore({ root, signingKeys: [Buffer.alloc(32, 1)], publicUrl: () => url });
  const server = bareServer({ config: readConfig('serve', {}), log: silentLog });
  const take = async (_key: string, _sent: number | null, receive: Receive) =>
    void (await receive(new AbortController().signal, null));
  diskRoutes(server, { clock }, store, take);
  url = await server.listen({ host: '127.0.0.1', port: 0 });
  const stop = async () => {
    await server.close();
    rmSync(root, { recursive: true, force: true });
  };
  return { store, clock, stop };
}

objectStoreContract('An object store on disk', startDiskStore, {
  rewrites: false,
  noticesChange: false,
  chunked: 'stored',
  head: 'answered',
  nosniff: true,
  refusesWith5xx: false,
  many: 25,
  mutations: MUTATIONS,
  forgivesRepeats: false,
  listsJoinedParts: false,
});

describe('A copy on disk', () => {
  it('is one of bytes if the file can have no more names', async () => {
    const { store, stop } = await startDiskStore();
    const link = fs.linkSync;
    const limited = mock.method(fs, 'linkSync', (from: string, to: string) => {
      if (from.endsWith('from.png')) throw Object.assign(new Error('too many links'), { code: 'EMLINK' });
      link(from, to);
    });
    syncBuiltinESMExports();
    try {
      await store.write('a/from.png', Buffer.from('bytes'));
      await store.copy('a/from.png', 'b/to.png');
      const [from, to] = [await store.find('a/from.png'), await store.find('b/to.png')];
      assert.notEqual(from?.version, to?.version);
      assert.equal((await buffer(await store.read('b/to.png'))).toString(), 'bytes');
    } finally {
      limited.mock.restore();
      syncBuiltinESMExports();
      await stop();
    }
  });
});

/** The traits of Amazon's S3. */
const S3: Traits = {
  rewrites: true,
  noticesChange: true,
  chunked: 'refused',
  head: 'refused',
  nosniff: false,
  refusesWith5xx: false,
  many: 25,
  mutations: MUTATIONS,
  forgivesRepeats: false,
  listsJoinedParts: false,
};

objectStoreContract(
  'An object store on S3',
  async () => {
    const clock = new TestClock();
    const server = await startS3Server(clock, { pageSize: 7 });
    const store = await openS3Store({ ...server, endpoint: server.url, forcePathStyle: true }, clock);
    return { store, clock, stop: server.stop };
  },
  S3,
);

// See scripts/test-s3.mjs. TEST_S3_TRAITS says where that server differs, as JSON.
const endpoint = process.env.TEST_S3_ENDPOINT;
if (endpoint)
  objectStoreContract(
    `An object store on ${process.env.TEST_S3_NAME ?? endpoint}`,
    async () => {
      const clock = new TestClock();
      const store = await openS3Store(
        {
          endpoint,
          bucket: process.env.TEST_S3_BUCKET ?? 'airdate-test',
          region: process.env.TEST_S3_REGION ?? 'us-east-1',
          accessKeyId: process.env.TEST_S3_ACCESS_KEY_ID ?? '',
          secretAccessKey: process.env.TEST_S3_SECRET_ACCESS_KEY ?? '',
          forcePathStyle: true,
        },
        clock,
      );
      return { store, clock, stop: async () => {} };
    },
    { ...S3, many: 1_001, mutations: MANY_MUTATIONS, ...JSON.parse(process.env.TEST_S3_TRAITS ?? '{}') },
  );
