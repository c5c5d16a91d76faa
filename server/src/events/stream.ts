// One stream: what it has still to send, and at which pace. It keeps ids of posts and one number, and never events: those
// are read from their table when the reader can take them, so that a slow reader costs no memory.
import type { Writable } from 'node:stream';
import type { Change } from '../db/changes.js';
import type { Position } from './epochs.js';
import { type EventRow, presentEvent } from './events.js';
import { idOf } from './ids.js';
import { MOST_EVENTS } from './schema.js';

/** At most so often: what changes in between is told together. */
const PAUSE_MS = 250;
/** Of one hint. */
const MOST_POSTS = 500;
/** A reader that is this far behind had better fetch everything anew: it is sent away, and will come back. */
export const MOST_WAITING = 10_000;
/** How long a browser waits before it connects again. */
const RETRY_MS = 2_000;

type ReadAfter = (seq: number) => Promise<EventRow[]>;

export class EventStream {
  private readonly sink: Writable;
  private readonly read: ReadAfter;
  private readonly onFault: (err: unknown) => void;
  private readonly posts = new Set<string>();
  private accounts = false;
  private events = false;
  /** The last event that was sent. Null before the stream has begun. */
  private seq: number | null = null;
  private timer: NodeJS.Timeout | undefined;
  private running = false;
  private sentAt = Number.NEGATIVE_INFINITY;
  private ended = false;

  constructor(sink: Writable, read: ReadAfter, onFault: (err: unknown) => void) {
    this.sink = sink;
    this.read = read;
    this.onFault = onFault;
    // Whoever waits for room in a stream that is gone waits no longer.
    sink.once('close', () => this.end());
    sink.on('error', () => this.end());
  }

  /** Everything after this number is sent. The id is told at once: whoever breaks off before the first event resumes here. */
  begin(from: Position): void {
    if (this.ended) return;
    this.seq = from.seq;
    this.sink.write(`retry: ${RETRY_MS}\nid: ${idOf(from)}\n\n`);
    this.events = true;
    this.plan();
  }

  hear({ posts, accounts, events }: Change): void {
    for (const id of posts) this.posts.add(id);
    this.accounts ||= accounts;
    this.events ||= events;
    if (this.posts.size > MOST_WAITING) this.end();
    else this.plan();
  }

  /** Looks for events that nobody has told of. */
  eventsWaiting(): void {
    this.events = true;
    this.plan();
  }

  /** A sign of life, also for proxies in between. One who does not read needs none. */
  beat(): void {
    if (this.seq !== null && !this.ended && !this.sink.writableNeedDrain) this.sink.write(':\n\n');
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.posts.clear();
    // Before it has begun nothing was answered, and that is not ours to do.
    if (this.seq === null) return;
    // What lies there unread would keep the connection open for as long as nobody reads it.
    if (this.sink.writableNeedDrain) this.sink.destroy();
    else this.sink.end();
  }

  get isOver(): boolean {
    return this.ended;
  }

  /** How many ids wait to be told, for those who ask how much it keeps. */
  get waiting(): number {
    return this.posts.size;
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
      if (this.events) await this.sendEvents();
      if (!this.ended && (this.posts.size > 0 || this.accounts)) {
        await this.room();
        this.sendChange();
      }
    } catch (err) {
      // The next look tries again.
      this.onFault(err);
    }
    this.running = false;
    this.sentAt = performance.now();
    if (this.events || this.posts.size > 0 || this.accounts) this.plan();
  }

  private async sendEvents(): Promise<void> {
    while (this.events && !this.ended) {
      await this.room();
      this.events = false;
      const rows = await this.read(this.seq as number);
      if (this.ended) return;
      for (const row of rows) {
        this.seq = row.seq;
        this.sink.write(
          `id: ${idOf(row)}\nevent: ${row.type}\ndata: ${JSON.stringify(presentEvent(row))}\n\n`,
        );
      }
      if (rows.length >= MOST_EVENTS) this.events = true;
    }
  }

  private sendChange(): void {
    if (this.ended) return;
    const posts: string[] = [];
    for (const id of this.posts) {
      if (posts.length === MOST_POSTS) break;
      posts.push(id);
      this.posts.delete(id);
    }
    this.sink.write(`event: changed\ndata: ${JSON.stringify({ posts, accounts: this.accounts })}\n\n`);
    this.accounts = false;
  }

  /** When the reader has taken what it was sent, or is gone. */
  private room(): Promise<void> | undefined {
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
