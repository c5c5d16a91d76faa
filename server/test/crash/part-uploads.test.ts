// A large video is sent in parts while its connection is cut and its service killed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { get, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, it } from 'node:test';
import { compareBigVideo, sliceOfBigVideo } from '../support/media/big-video.js';
import { everyday } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { ADMIN_TOKEN, TEST_KEY } from '../support/service/harness.js';
import { bucketEnv, MIB, md5Of } from '../support/service/part-uploads.js';
import { type Answer, send } from '../support/service/send.js';
import { type S3Server, startS3Server } from '../support/storage/s3-server.js';
import { prepareVideoPost } from './clients/owner.js';
import { inLife, KillableService } from './processes/killable-service.js';

const SIZE = everyday(20, 1024) * MIB + 7;
const CUTS = everyday(1, 10);
/** While a part is on its way; another one while the parts are joined. */
const KILLS = everyday(1, 3);
/** Of the process, above what it had when it began to take parts. */
const MAX_GROWTH_MIB = 128;

for (const kind of everyday<readonly ('disk' | 's3')[]>(['s3'], ['disk', 's3']))
  describe(`A video of ${Math.round(SIZE / MIB)} MB in parts, on ${kind}`, () => {
    let dir: string;
    let bucket: S3Server | null = null;
    let service: KillableService;

    before(async () => {
      dir = mkdtempSync(join(tmpdir(), 'airdate-parts-'));
      bucket = kind === 's3' ? await startS3Server() : null;
      service = new KillableService({
        DATA_DIR: dir,
        ADMIN_TOKEN,
        ENCRYPTION_KEY: TEST_KEY,
        DEMO: 'off',
        // The SDK tells the operator about versions of Node.
        NODE_NO_WARNINGS: '1',
        ...(bucket ? bucketEnv(bucket) : {}),
      });
    });
    after(async () => {
      await service?.stop();
      await bucket?.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    it(`arrives whole through ${CUTS} cuts and ${KILLS + 1} kills: no part is sent twice but those that were cut`, async (test) => {
      const { key, postId } = await prepareVideoPost(service);
      const path = `/api/v1/posts/${postId}`;
      const call = async (method: string, below: string, body?: object): Promise<Answer> => {
        const { url } = await service.current();
        const answer = await send(method, `${url}${path}${below}`, { key, body });
        assert.equal(answer.status, 200, answer.text);
        return answer;
      };
      const { json: grant } = await call('POST', '/assets', {
        filename: 'film.mp4',
        content_type: 'video/mp4',
        content_length: SIZE,
        parts: true,
      });
      const { upload_id: id, part_size: partSize } = grant;
      const count = Math.ceil(SIZE / partSize);
      const fates = fatesOf(count, CUTS, KILLS);
      const sent = new Map<number, number>();
      const lost = new Set<number>();
      const memory = new Memory();

      for (;;) {
        const { json } = await call('GET', `/uploads/${id}`);
        const { arrived, parts } = json.data as Upload;
        for (const number of lost) if (sent.get(number) === 1) assert.ok(!arrived.includes(number));
        if (parts.length === 0) break;
        const life = await service.current();
        memory.begin(life.child.pid as number);
        let isCut = false;
        for (const { number, upload_url } of parts) {
          const bytes = sliceOfBigVideo(SIZE, (number - 1) * partSize, number * partSize);
          const fate = sent.has(number) ? null : fates.get(number);
          sent.set(number, (sent.get(number) ?? 0) + 1);
          if (fate === undefined || fate === null) {
            const answer = await put(upload_url, bytes);
            assert.equal(answer, 200, `part ${number}`);
            continue;
          }
          await cutOff(upload_url, bytes);
          lost.add(number);
          memory.note();
          if (fate === 'kill') await service.kill();
          isCut = true;
          break;
        }
        if (!isCut) continue;
      }

      // Killed while the parts are joined, or right after: the next request completes what this one began.
      const life = await service.current();
      memory.begin(life.child.pid as number);
      const joining = inLife(life, (url) =>
        send('POST', `${url}${path}/uploads/${id}/complete`, { key, body: {} }),
      );
      await until('nothing waits to be joined', async () =>
        bucket ? bucket.uploads.size === 0 : hasDraft(dir),
      );
      memory.note();
      life.child.kill('SIGKILL');
      await Promise.all([joining, life.ended]);

      const startedAt = performance.now();
      memory.begin((await service.current()).child.pid as number);
      const { json } = await call('POST', `/uploads/${id}/complete`, {});
      const joinedIn = performance.now() - startedAt;
      memory.note();
      assert.equal(json.data.size, SIZE);
      const [response] = (await once(get(json.data.url), 'response')) as [IncomingMessage];
      await pipeline(response, compareBigVideo(SIZE));

      const twice = [...sent].filter(([, times]) => times > 1).map(([number]) => number);
      assert.deepEqual(twice.sort(), [...lost].sort());
      assert.ok([...sent.values()].every((times) => times <= 2));
      assert.deepEqual([sent.size, lost.size], [count, CUTS + KILLS]);
      test.diagnostic(
        `${count} parts of ${partSize / MIB} MB, ${lost.size} sent twice after ${CUTS} cuts and ${KILLS} kills, ${service.lives} lives`,
      );
      test.diagnostic(
        `joined and inspected in ${(joinedIn / 1000).toFixed(1)} s; memory of the service: ${memory.figures()}`,
      );
      assert.ok(memory.growth <= MAX_GROWTH_MIB, `the process grew by ${memory.growth} MB`);
      if (bucket)
        assert.deepEqual(
          [...bucket.objects.keys()].filter((one) => one.startsWith('parts/')),
          [],
        );
      else assert.deepEqual(filesBelow(join(dir, 'files', 'parts')), []);
      assert.deepEqual(service.complaints, []);
    });
  });

interface Upload {
  arrived: number[];
  parts: { number: number; upload_url: string }[];
}

/** Evenly over the file, kills between the cuts. */
function fatesOf(count: number, cuts: number, kills: number): Map<number, 'cut' | 'kill'> {
  const all = cuts + kills;
  assert.ok(count > all, `${count} parts cannot be cut ${all} times`);
  const every = Math.floor((cuts + kills) / Math.max(1, kills));
  return new Map(
    Array.from({ length: all }, (_, i) => {
      const isKill = kills > 0 && i % every === every - 1 && Math.floor(i / every) < kills;
      return [1 + Math.floor((i * count) / all), isKill ? 'kill' : 'cut'] as const;
    }),
  );
}

async function put(url: string, bytes: Buffer): Promise<number | undefined> {
  const headers = { 'content-length': bytes.length, 'content-md5': md5Of(bytes) };
  const sending = request(url, { method: 'PUT', headers });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  sending.end(bytes);
  const [response] = await answered;
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

/** Sends more than half of a part, and no more. */
async function cutOff(url: string, bytes: Buffer): Promise<void> {
  const headers = { 'content-length': bytes.length, 'content-md5': md5Of(bytes) };
  const sending = request(url, { method: 'PUT', headers, agent: false });
  sending.on('error', () => {});
  await new Promise<void>((written) => {
    sending.write(bytes.subarray(0, Math.ceil(bytes.length * 0.6)), () => written());
  });
  sending.destroy();
}

const filesBelow = (folder: string): string[] => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
};

/** Of a join: a part's own draft is never larger than the part. */
const hasDraft = (dir: string): boolean =>
  filesBelow(join(dir, 'files', 'drafts')).some((file) => {
    try {
      return statSync(file).size > MIB;
    } catch {
      return false;
    }
  }) || filesBelow(join(dir, 'files', 'orgs')).length > 0;

/** How much memory each life of the service takes, as the system counts it. */
class Memory {
  growth = 0;
  private peak = 0;
  private pid = 0;
  private idle = 0;

  begin(pid: number): void {
    if (pid === this.pid) return;
    this.pid = pid;
    this.idle = this.read('VmRSS');
  }

  note(): void {
    const peak = this.read('VmHWM');
    this.peak = Math.max(this.peak, peak);
    this.growth = Math.max(this.growth, peak - this.idle);
  }

  figures(): string {
    return `${this.peak} MB at most, ${this.growth} MB more than when a life began to take parts`;
  }

  private read(name: string): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  }
}
