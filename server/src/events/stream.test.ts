// A client that stops reading: what the stream buffers for it is bounded.
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { until } from '../../test/support/runner/until.js';
import type { EventRow } from './events.js';
import { EventStream, MAX_WAITING } from './stream.js';

const ORG = '019a8b1e-0000-7000-8000-1b2c3d4e5f60';

/** Takes bytes until it is stuck; from then on Node itself counts what is buffered. */
class Reader extends Writable {
  text = '';
  isStuck = false;
  private goOn: (() => void) | null = null;

  constructor() {
    super({ highWaterMark: 1_000, decodeStrings: false });
  }
  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk;
    if (this.isStuck) this.goOn = done;
    else done();
  }
  release(): void {
    this.isStuck = false;
    this.goOn?.();
    this.goOn = null;
  }
}

const row = (seq: number): EventRow => ({
  org_id: ORG,
  seq,
  epoch: 0,
  type: 'post.scheduled',
  data: JSON.stringify({ post_id: 'x'.repeat(400) }),
  created_at: 0,
});

const changed = (...posts: string[]) => ({
  orgId: ORG,
  posts: new Set(posts),
  accounts: false,
  labels: false,
  snippets: false,
  members: false,
  events: false,
});

function begin(stored: EventRow[]) {
  const reader = new Reader();
  const faults: unknown[] = [];
  let reads = 0;
  const stream = new EventStream(
    reader,
    async (seq) => {
      reads++;
      return stored.filter((one) => one.seq > seq).slice(0, 100);
    },
    (err) => faults.push(err),
  );
  return { reader, stream, faults, reads: () => reads };
}

const idsIn = (text: string) => [...text.matchAll(/^id: (\S+)\nevent: post/gm)].map(([, id]) => id);

describe('a stream', () => {
  it('buffers no more than one page of events for a stuck reader, and sends the rest later', async () => {
    const stored = Array.from({ length: 1_000 }, (_, i) => row(i + 1));
    const { reader, stream, reads } = begin(stored);
    reader.isStuck = true;
    stream.begin({ epoch: 0, seq: 0 });
    await until('the reader is full', () => reader.writableNeedDrain && reads() === 1);
    for (let i = 0; i < 50; i++) {
      stream.eventsWaiting();
      stream.beat();
      await setImmediate();
    }
    assert.equal(reads(), 1);
    assert.ok(reader.writableLength < 100_000, `${reader.writableLength} bytes wait`);
    reader.release();
    await until('the reader has all events', () => idsIn(reader.text).length === 1_000);
    assert.equal(new Set(idsIn(reader.text)).size, 1_000);
    stream.end();
  });

  it('keeps each changed post once, and disconnects a reader that falls too far behind', async () => {
    const { reader, stream } = begin([row(1)]);
    reader.isStuck = true;
    stream.begin({ epoch: 0, seq: 0 });
    await until('the reader has something', () => reader.writableNeedDrain || reader.writableLength > 0);
    for (let i = 0; i < 3 * MAX_WAITING; i++) stream.onChange(changed(`post ${i % MAX_WAITING}`));
    assert.ok(stream.waiting <= MAX_WAITING);
    assert.equal(reader.destroyed, false);
    stream.onChange(changed('one more', 'and another'));
    assert.equal(stream.waiting, 0);
    await until('the reader is disconnected', () => reader.destroyed || reader.writableEnded);
  });

  it('gathers the changes of a short while into one message', async () => {
    const { reader, stream } = begin([]);
    stream.begin({ epoch: 0, seq: 0 });
    for (const id of ['a', 'b', 'a', 'c', 'b']) stream.onChange(changed(id));
    await until('the change is sent', () => reader.text.includes('changed'));
    assert.match(reader.text, /^event: changed\ndata: {"posts":\["a","b","c"\],"accounts":false}\n\n/m);
    assert.equal(reader.text.match(/event: changed/g)?.length, 1);
    stream.end();
  });

  it('says that labels, snippets and members have changed, and only then', async () => {
    const { reader, stream } = begin([]);
    stream.begin({ epoch: 0, seq: 0 });
    stream.onChange({ ...changed(), labels: true, snippets: true, members: true });
    await until('the changes are sent', () => reader.text.includes('changed'));
    assert.match(
      reader.text,
      /^data: {"posts":\[\],"accounts":false,"labels":true,"snippets":true,"members":true}\n\n/m,
    );
    stream.onChange(changed('a'));
    await until('the post is sent', () => reader.text.includes('"a"'));
    assert.match(reader.text, /^data: {"posts":\["a"\],"accounts":false}\n\n/m);
    stream.end();
  });

  it('sends nothing before it begins, and nothing after it ends', async () => {
    const { reader, stream } = begin([row(1)]);
    stream.onChange(changed('a'));
    stream.beat();
    assert.equal(reader.text, '');
    stream.begin({ epoch: 0, seq: 0 });
    stream.end();
    const { text } = reader;
    stream.onChange(changed('b'));
    stream.eventsWaiting();
    stream.beat();
    for (let i = 0; i < 20; i++) await setImmediate();
    assert.equal(reader.text, text);
  });

  it('retries a read that failed', async () => {
    const stored: EventRow[] = [row(1)];
    const reader = new Reader();
    let fails = true;
    let faults = 0;
    const stream = new EventStream(
      reader,
      async (seq) => {
        if (fails) throw new Error('away');
        return stored.filter((one) => one.seq > seq);
      },
      () => faults++,
    );
    stream.begin({ epoch: 0, seq: 0 });
    await until('a read has failed', () => faults === 1);
    fails = false;
    stream.eventsWaiting();
    await until('the event is sent', () => idsIn(reader.text).length === 1);
    stream.end();
  });
});
