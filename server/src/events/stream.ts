// One stream: what it still has to send, and at what pace. It keeps post ids and one number, never events: those are read
// from their table when the client can take them, so that a slow client costs no memory.
import type { Writable } from 'node:stream';
import { addChanges, type Change, noChanges } from '../db/changes.js';
import type { Position } from './epochs.js';
import { type EventRow, presentEvent } from './events.js';
import { idOf } from './ids.js';
import { MAX_EVENTS } from './schema.js';

/** The interval between notifications; changes in between are sent together. */
const PAUSE_MS = 250;
/** Per notification. */
const MAX_POSTS = 500;
/** A client this far behind should refetch everything: its stream ends, and it will reconnect. */
export const MAX_WAITING = 10_000;
/** How long a browser waits before it reconnects. */
const RETRY_MS = 2_000;

type ReadAfter = (seq: number) => Promise<EventRow[]>;

export class EventStream {
  private readonly sink: Writable;
  private readonly read: ReadAfter;
  private readonly onFault: (err: unknown) => void;
  /** What the client has not been told of. */
  private unsent = noChanges();
  /** The last event sent; null before the stream has begun. */
  private seq: number | null = null;
  private timer: NodeJS.Timeout | undefined;
  private running = false;
  private sentAt = Number.NEGATIVE_INFINITY;
  private ended = false;

  constructor(sink: Writable, read: ReadAfter, onFault: (err: unknown) => void) {
    this.sink = sink;
    this.read = read;
    this.onFault = onFault;
    // Ends any wait for room in the stream.
    sink.once('close', () => this.end());
    sink.on('error', () => this.end());
  }

  /**
   * Sends everything after this position. The id goes out immediately, so that a client that drops early resumes here. It comes
   * with data: some clients, such as version 4 of the npm package `eventsource`, forget an id without it.
   */
  begin(from: Position, hasGap = false): void {
    if (this.ended) return;
    this.seq = from.seq;
    // A comment: clients that do not look for it go on undisturbed.
    if (hasGap) this.sink.write(`: gap: events after ${idOf(from)} have expired; fetch your data again\n\n`);
    this.sink.write(`retry: ${RETRY_MS}\nid: ${idOf(from)}\nevent: ready\ndata: {}\n\n`);
    this.unsent.events = true;
    this.plan();
  }

  onChange(change: Change): void {
    addChanges(this.unsent, change);
    if (this.unsent.posts.size > MAX_WAITING) this.end();
    else this.plan();
  }

  /** Checks for events without a notification. */
  eventsWaiting(): void {
    this.unsent.events = true;
    this.plan();
  }

  /** Keeps the connection alive, also through proxies. A client that does not read needs no heartbeat. */
  beat(): void {
    if (this.seq !== null && !this.ended && !this.sink.writableNeedDrain) this.sink.write(':\n\n');
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.unsent.posts.clear();
    // Nothing was sent before `begin`, so the response is not ours to end.
    if (this.seq === null) return;
    // Unread data would keep the connection open until the client reads it.
    if (this.sink.writableNeedDrain) this.sink.destroy();
    else this.sink.end();
  }

  get hasBegun(): boolean {
    return this.seq !== null;
  }

  get isOver(): boolean {
    return this.ended;
  }

  /** The number of ids waiting to be sent, to measure what the stream holds. */
  get waiting(): number {
    return this.unsent.posts.size;
  }

  private get hasChange(): boolean {
    const { posts, accounts, labels, snippets, members } = this.unsent;
    return posts.size > 0 || accounts || labels || snippets || members;
  }

  private plan(): void {
    if (this.ended || this.running || this.timer || this.seq === null) return;
    const pause = Math.max(0, this.sentAt + PAUSE_MS - performance.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.send();
    }, pause);
  }

  private async send(): Promise<void> {
    this.running = true;
    try {
      if (this.unsent.events) await this.sendEvents();
      if (!this.ended && this.hasChange) {
        await this.waitForDrain();
        this.sendChange();
      }
    } catch (err) {
      // The next check tries again.
      this.onFault(err);
    }
    this.running = false;
    this.sentAt = performance.now();
    if (this.unsent.events || this.hasChange) this.plan();
  }

  private async sendEvents(): Promise<void> {
    while (this.unsent.events && !this.ended) {
      await this.waitForDrain();
      this.unsent.events = false;
      const rows = await this.read(this.seq as number);
      if (this.ended) return;
      for (const row of rows) {
        this.seq = row.seq;
        this.sink.write(
          `id: ${idOf(row)}\nevent: ${row.type}\ndata: ${JSON.stringify(presentEvent(row))}\n\n`,
        );
      }
      if (rows.length >= MAX_EVENTS) this.unsent.events = true;
    }
  }

  private sendChange(): void {
    if (this.ended) return;
    const { posts, accounts, labels, snippets, members, events } = this.unsent;
    const [some, others] = [[...posts].slice(0, MAX_POSTS), [...posts].slice(MAX_POSTS)];
    const notice = {
      posts: some,
      accounts,
      ...(labels ? { labels } : {}),
      ...(snippets ? { snippets } : {}),
      ...(members ? { members } : {}),
    };
    this.sink.write(`event: changed\ndata: ${JSON.stringify(notice)}\n\n`);
    this.unsent = { ...noChanges(), posts: new Set(others), events };
  }

  /** Resolves when the client has read what it was sent, or has gone. */
  private waitForDrain(): Promise<void> | undefined {
    if (!this.sink.writableNeedDrain || this.ended) return undefined;
    return new Promise((resolve) => {
      const go = () => {
        this.sink.off('drain', go);
        this.sink.off('close', go);
        resolve();
      };
      this.sink.on('drain', go);
      this.sink.on('close', go);
    });
  }
}
