// Readers of a video that is being replaced all the time: they must get one complete version, the one that the list named,
// and none older than the last one acknowledged before their request.
import assert from 'node:assert/strict';
import { sha256, type Version } from '../../support/media/videos.js';
import type { send } from '../../support/service/send.js';
import { inLife, type KillableService } from '../processes/killable-service.js';

/** What the uploading client knows. */
export interface History {
  /** Versions by object key, added before the first byte of each is sent. */
  byKey: Map<string, Version>;
  /** The last version whose arrival was acknowledged. */
  acknowledged: number;
}

export interface Readings {
  whole: number;
  /** Downloads cut off by the death of the process. */
  broken: number;
  /** Downloads of videos that were replaced and removed since they were listed. */
  late: number;
  stop(): Promise<void>;
  /** Rejects as soon as a reader sees something wrong. */
  failure: Promise<never>;
}

export function startReaders(
  count: number,
  service: KillableService,
  history: History,
  list: (url: string) => ReturnType<typeof send>,
): Readings {
  let isOver = false;
  const readings = { whole: 0, broken: 0, late: 0 };

  /** The asset that the list names, checked against what is known. */
  async function named(url: string) {
    const atLeast = history.acknowledged;
    const answer = await list(url);
    return { answer, atLeast };
  }

  function theOne({ answer, atLeast }: Awaited<ReturnType<typeof named>>) {
    assert.equal(answer.status, 200, answer.text);
    const { data, rejected } = answer.json;
    assert.deepEqual([data.length, rejected], [1, []], answer.text);
    const version = history.byKey.get(data[0].object_key);
    assert.ok(version, `no client uploaded ${data[0].object_key}`);
    assert.ok(
      version.number >= atLeast,
      `version ${version.number} came back after ${atLeast} was acknowledged`,
    );
    assert.equal(data[0].size, version.bytes.length);
    return { version, key: data[0].object_key as string, url: data[0].url as string };
  }

  async function readOnce(): Promise<keyof typeof readings> {
    const life = await service.current();
    const first = await inLife(life, named);
    if (!first) return 'broken';
    const asset = theOne(first);
    const download = await inLife(life, async () => {
      const response = await fetch(asset.url, { signal: AbortSignal.timeout(30_000) });
      return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
    });
    if (!download) return 'broken';
    if (download.status === 404) {
      // Allowed after the grace period, which may pass between two requests on a slow machine; but not for the current video.
      const next = await inLife(life, named);
      if (!next) return 'broken';
      assert.notEqual(theOne(next).key, asset.key, 'the file of a video that is there is gone');
      return 'late';
    }
    assert.equal(download.status, 200, Buffer.from(download.bytes).toString());
    assert.equal(
      sha256(download.bytes),
      asset.version.sha256,
      `not the bytes of version ${asset.version.number}`,
    );
    return 'whole';
  }

  async function readOn(): Promise<void> {
    while (!isOver) {
      const outcome = await readOnce();
      readings[outcome]++;
    }
  }

  const readers = Array.from({ length: count }, readOn);
  const failure = new Promise<never>((_resolve, reject) => {
    for (const reader of readers)
      reader.catch((error) => {
        isOver = true;
        reject(error);
      });
  });
  failure.catch(() => {}); // callers that await it get the error
  return Object.assign(readings, {
    failure,
    async stop() {
      isOver = true;
      await Promise.all(readers);
    },
  });
}
