// The fake S3 server is as strict as the tests that use it need, and the store keeps its S3-only promises.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../../src/config/config.js';
import type { ObjectStore } from '../../src/object-store/object-store.js';
import { openS3Store } from '../../src/object-store/s3/s3.js';
import { TestClock } from '../support/service/harness.js';
import { newObject } from '../support/storage/s3-objects.js';
import { type S3Server, startS3Server } from '../support/storage/s3-server.js';
import { signatureOf } from '../support/storage/s3-verify.js';
import { send } from './object-store/raw-requests.js';

describe('S3', () => {
  const clock = new TestClock();
  let server: S3Server;
  let config: S3Config;
  let store: ObjectStore;
  before(async () => {
    server = await startS3Server(clock, { pageSize: 3 });
    config = { ...server, endpoint: server.url, forcePathStyle: true };
    store = await openS3Store(config, clock);
  });
  after(() => server?.stop());

  const grant = (key: string) => ({
    key,
    contentType: 'video/mp4',
    length: null,
    maxLength: 1000,
    expiresAt: clock.now() + 60_000,
  });
  const upload = (key: string, text: string, headers: Record<string, string> = {}) =>
    fetch(store.signUpload(grant(key)), {
      method: 'PUT',
      headers: { 'content-type': 'video/mp4', ...headers },
      body: text,
    });

  describe('the stand-in', () => {
    const EXAMPLE = {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      region: 'us-east-1',
    };
    const EMPTY = createHash('sha256').digest('hex');

    it("computes the signatures of Amazon's published examples", () => {
      const get = (query: string, range: string, names: string) =>
        `GET\n${range ? '/test.txt' : '/'}\n${query}\nhost:examplebucket.s3.amazonaws.com\n${range}` +
        `x-amz-content-sha256:${EMPTY}\nx-amz-date:20130524T000000Z\n\n${names}\n${EMPTY}`;
      const plain = 'host;x-amz-content-sha256;x-amz-date';
      const examples = [
        [
          get('', 'range:bytes=0-9\n', 'host;range;x-amz-content-sha256;x-amz-date'),
          'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
        ],
        [get('lifecycle=', '', plain), 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
        [
          get('max-keys=2&prefix=J', '', plain),
          '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
        ],
      ] as const;
      for (const [canonical, signature] of examples)
        assert.equal(signatureOf(canonical, { time: '20130524T000000Z' }, EXAMPLE), signature);
    });

    it('refuses the SDK with a wrong secret, a wrong key id, a wrong region, and unsigned requests', async () => {
      const ask = async (wrong: Partial<S3Config>) => {
        const { accessKeyId, secretAccessKey, region } = { ...config, ...wrong };
        const client = new S3Client({
          endpoint: server.url,
          region,
          credentials: { accessKeyId, secretAccessKey },
          forcePathStyle: true,
          maxAttempts: 1,
        });
        const command = new PutObjectCommand({ Bucket: server.bucket, Key: 'never', Body: 'never' });
        await client.send(command).finally(() => client.destroy());
      };
      await assert.rejects(ask({ secretAccessKey: 'wrong' }), { name: 'SignatureDoesNotMatch' });
      await assert.rejects(ask({ accessKeyId: 'wrong' }), { name: 'InvalidAccessKeyId' });
      await assert.rejects(ask({ region: 'wrong' }));
      const answer = await fetch(`${server.url}/${server.bucket}/never`, { method: 'PUT', body: 'never' });
      assert.equal(answer.status, 403);
      assert.match(await answer.text(), /<Code>AccessDenied<\/Code>/);
      assert.ok(!server.objects.has('never'));
    });

    it('reports what is wrong with a URL the way S3 does', async () => {
      const code = async (address: string, headers = {}) =>
        /<Code>(\w+)<\/Code><Message>([^<]+)/.exec((await send('GET', address, { headers })).body.toString());
      const right = store.signDownload('a.png', clock.now() + 60_000);
      assert.equal((await code(right))?.[1], 'NoSuchKey');
      assert.equal((await code(`${right}&x=1`))?.[1], 'SignatureDoesNotMatch');
      assert.equal((await code(right.replace('a.png', 'b.png')))?.[1], 'SignatureDoesNotMatch');
      assert.equal((await code(right, { 'x-amz-acl': 'public-read' }))?.[1], 'AccessDenied');
      assert.equal((await code(`${right}&X-Amz-Date=1`))?.[1], 'AuthorizationQueryParametersError');
      clock.advance(61_000);
      assert.deepEqual((await code(right))?.slice(1), ['AccessDenied', 'Request has expired']);
      clock.resume();
    });

    it('refuses a body that is not the one whose hash was signed', async () => {
      const client = new S3Client({ ...clientOf(config), maxAttempts: 1 });
      client.middlewareStack.add(
        (next) => (args) => {
          (args.request as { body: unknown }).body = Buffer.from('forged');
          return next(args);
        },
        { step: 'finalizeRequest', priority: 'low', override: true },
      );
      const put = new PutObjectCommand({ Bucket: server.bucket, Key: 'forged', Body: Buffer.from('honest') });
      await assert.rejects(client.send(put), { name: 'XAmzContentSHA256Mismatch' });
      assert.ok(!server.objects.has('forged'));
      client.destroy();
    });

    it('allows browsers: answers their preflight, and allows every origin', async () => {
      const answer = await fetch(store.signUpload(grant('cors.mp4')), {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example.com', 'access-control-request-method': 'PUT' },
      });
      assert.equal(answer.status, 200);
      assert.match(String(answer.headers.get('access-control-allow-methods')), /PUT/);
      assert.equal((await upload('cors.mp4', 'x')).headers.get('access-control-allow-origin'), '*');
    });
  });

  describe('the store', () => {
    it('identifies an object by the MD5 of its bytes, and keeps its content type when it moves', async () => {
      await upload('up/1.bin', 'bytes');
      const found = await store.find('up/1.bin');
      assert.equal(found?.version, `"${createHash('md5').update('bytes').digest('hex')}"`);
      assert.ok(found);
      await store.move(found, 'kept/1.mp4');
      assert.equal(server.objects.get('kept/1.mp4')?.contentType, 'video/mp4');
      await store.write('kept/2.webp', Buffer.from('x'));
      assert.equal(server.objects.get('kept/2.webp')?.contentType, 'image/webp');
    });

    it('does not mistake another object at the new key for its own copy, when the old one was replaced', async () => {
      await upload('up/2.bin', 'found');
      const found = await store.find('up/2.bin');
      assert.ok(found);
      await upload('up/2.bin', 'newer');
      await store.write('kept/3.mp4', Buffer.from('other'));
      await assert.rejects(store.move(found, 'kept/3.mp4'), /another object/);
      assert.equal(server.objects.get('up/2.bin')?.bytes.toString(), 'newer');
      assert.equal(server.objects.get('kept/3.mp4')?.bytes.toString(), 'other');
    });

    it('lists foreign objects too, whatever their names', async () => {
      const strange = [
        'a b',
        'ä+%2F',
        '.hidden',
        'x//y',
        '<&">',
        'line\nbreak',
        'bell\u0007',
        '../up',
        '100%',
      ];
      for (const key of strange) server.objects.set(key, newObject(Buffer.from(key)));
      const listed: string[] = [];
      for await (const { key } of store.list()) listed.push(key);
      assert.deepEqual(listed.sort(), [...server.objects.keys()].sort());
      for (const key of strange) server.objects.delete(key);
    });

    it('never overwrites an object that another process writes at the same moment', async () => {
      const texts = Array.from({ length: 8 }, (_, i) => `text ${i}`);
      const stores = await Promise.all(texts.map(() => openS3Store(config, clock)));
      const seen = new Set<string>();
      const set = server.objects.set;
      server.objects.set = (key, object) => {
        if (key === 'race.png') seen.add(object.bytes.toString());
        return set.call(server.objects, key, object);
      };
      await Promise.all(stores.map((one, i) => one.write('race.png', Buffer.from(texts[i] as string))));
      server.objects.set = set;
      assert.equal(seen.size, 1);
    });

    it('has URLs with the bucket in the path, in the host name, and after a prefix', async () => {
      const at = async (more: Partial<S3Config>) => {
        const opened = await openS3Store({ ...config, ...more }, clock);
        return new URL(opened.signDownload('a/b.png', clock.now() + 60_000));
      };
      const place = ({ origin, pathname }: URL) => origin + pathname;
      const bucket = 'my-bucket';
      const amazon = { bucket, endpoint: null, region: 'eu-west-1', forcePathStyle: false };
      assert.equal(place(await at(amazon)), 'https://my-bucket.s3.eu-west-1.amazonaws.com/a/b.png');
      assert.equal(
        place(await at({ ...amazon, forcePathStyle: true })),
        'https://s3.eu-west-1.amazonaws.com/my-bucket/a/b.png',
      );
      assert.equal(
        place(await at({ ...amazon, bucket: 'my.bucket' })),
        'https://s3.eu-west-1.amazonaws.com/my.bucket/a/b.png',
      );
      assert.equal(
        place(await at({ bucket, endpoint: 'https://x.example.com/storage/s3' })),
        'https://x.example.com/storage/s3/my-bucket/a/b.png',
      );
      assert.equal(
        place(await at({ bucket, endpoint: 'http://127.0.0.1:9000', forcePathStyle: false })),
        'http://127.0.0.1:9000/my-bucket/a/b.png',
      );
    });

    it("is served under the bucket's own host name", async () => {
      server.objects.set('host.png', newObject(Buffer.from('by host')));
      const endpoint = server.url.replace('127.0.0.1', 'localhost');
      const named = await openS3Store({ ...config, endpoint, forcePathStyle: false }, clock);
      const { host, pathname, search } = new URL(named.signDownload('host.png', clock.now() + 60_000));
      assert.ok(host.startsWith(`${server.bucket}.localhost:`));
      // Not every machine resolves names below localhost, so the connection uses the IP address.
      const answer = await send('GET', server.url, { headers: { host }, target: pathname + search });
      assert.deepEqual([answer.status, answer.body.toString()], [200, 'by host']);
    });

    it('believes that a small object is absent only from the store’s own code', async () => {
      assert.equal(await store.load('absent'), null);
      await store.replace('present', Buffer.from('here'));
      for (const body of ['', '<html>Not Found</html>', '<Error><Code>NoSuchBucket</Code></Error>']) {
        server.answersFor.set('present', { status: 404, body });
        await assert.rejects(store.load('present'), body);
      }
      server.answersFor.clear();
      assert.equal(String(await store.load('present')), 'here');
    });

    it('refuses to sign a URL that has already expired', () => {
      assert.throws(() => store.signDownload('a.png', clock.now() - 1000), RangeError);
    });

    it('reads and removes objects that the SDK itself stored, and vice versa', async () => {
      const client = new S3Client(clientOf(config));
      const place = { Bucket: server.bucket, Key: 'shared.png' };
      await store.write(place.Key, Buffer.from('ours'));
      assert.equal(await (await client.send(new GetObjectCommand(place))).Body?.transformToString(), 'ours');
      await client.send(new DeleteObjectCommand(place));
      assert.equal(await store.find(place.Key), null);
      client.destroy();
    });
  });
});

function clientOf({ endpoint, region, accessKeyId, secretAccessKey }: S3Config) {
  return {
    endpoint: String(endpoint),
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    responseChecksumValidation: 'WHEN_REQUIRED' as const,
  };
}
