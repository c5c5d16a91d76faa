// Makes three of ten calls to the sandbox fail, in ways that the real platform does.
import assert from 'node:assert/strict';
import type { FAULT_KINDS, FAULT_TARGETS } from '@airdate/sandbox/faults.js';
import { send } from '../../support/service/send.js';

const SHARE = 0.3;
/** How many faults are queued for each kind of call. */
const AHEAD = 40;
/** Longer than the service waits. */
const SLOW_MS = 1_500;

const ANYWHERE = [
  'hang',
  'reset_before',
  'reset_after',
  'slow',
  'http_429',
  'http_500',
  'http_502',
  'http_503',
] as const;

/** A platform that reports an upload as gone although it is not would be lying; that is tested elsewhere. */
const KINDS: Record<(typeof FAULT_TARGETS)[number], readonly (typeof FAULT_KINDS)[number][]> = {
  init: [...ANYWHERE, 'http_401'],
  status: [...ANYWHERE, 'http_401'],
  creator_info: [...ANYWHERE, 'http_401'],
  upload: [...ANYWHERE, 'http_416'],
  token: ANYWHERE,
};

export class Faults {
  ordered = 0;
  private readonly url: string;
  private readonly random: () => number;

  constructor(url: string, random: () => number) {
    this.url = url;
    this.random = random;
  }

  /** Queues more faults if few are left. */
  async keepComing(): Promise<void> {
    const { json } = await send('GET', `${this.url}/__control/faults`, {});
    const waiting = json.data as { on: string }[];
    for (const [on, kinds] of Object.entries(KINDS)) {
      const missing = AHEAD - waiting.filter((fault) => fault.on === on).length;
      for (let i = 0; i < missing; i++) {
        const kind = kinds[Math.floor(this.random() * kinds.length)];
        // Enough calls succeed in between that the share is right.
        const after = Math.floor(Math.log(1 - this.random()) / Math.log(1 - SHARE));
        await this.control('faults', { on, kind, after, ms: SLOW_MS });
        this.ordered++;
      }
    }
  }

  async end(): Promise<void> {
    const { json } = await send('GET', `${this.url}/__control/faults`, {});
    this.ordered -= json.data.length;
    await this.control('clear', {});
  }

  private async control(path: string, body: object): Promise<void> {
    const answer = await send('POST', `${this.url}/__control/${path}`, { body });
    assert.equal(answer.status, 200, answer.text);
  }
}
