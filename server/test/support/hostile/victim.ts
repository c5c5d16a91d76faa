// A tenant that works as on any day, while another one attacks: it lists, creates, hears of what it created by a webhook, uploads and
// signs in, one after the other.
import { readFileSync } from 'node:fs';
import { Receiver } from '../service/webhooks.js';
import { clientAt, newTenant, type Reply } from './tenant-client.js';

const PASSWORD = 'correct horse battery staple';
const SLIDE = readFileSync(new URL('../../../../test/media/slide.png', import.meta.url));

export const ACTS = ['lists', 'creates', 'hears', 'uploads', 'signs in'] as const;
export type Act = (typeof ACTS)[number];
/** The milliseconds that each act took. */
export type Times = Record<Act, number[]>;

let victims = 0;

export class Victim {
  readonly people: string[] = [];
  /** Responses other than success. */
  readonly refused: string[] = [];
  /** Each its own address, because sign-ins are limited by address too. */
  private readonly call = clientAt(`127.0.5.${++victims}`);
  private readonly url: string;
  private readonly key: string;
  private next = 0;
  private readonly receiver = new Receiver();
  /** Who waits to hear of a post, by its id. */
  private readonly hearing = new Map<string, () => void>();

  private constructor(url: string, key: string) {
    this.url = url;
    this.key = key;
  }

  /** Its people take turns: one may sign in five times a minute. */
  static async join(url: string, operator: string, people: number): Promise<Victim> {
    const victim = new Victim(url, await newTenant(url, operator, 'The Map Folders'));
    await victim.listen();
    for (let n = 0; n < people; n++) await victim.addPerson(`person${n}.${Date.now()}@example.com`);
    return victim;
  }

  /** Rounds of all acts. A sign-in is only part of some, because people may not sign in as often. */
  async work(rounds: number, signInEvery: number): Promise<Times> {
    const times: Times = { lists: [], creates: [], hears: [], uploads: [], 'signs in': [] };
    const timed = async (act: Act, work: () => Promise<Reply[]>) => {
      const began = performance.now();
      const replies = await work();
      times[act].push(performance.now() - began);
      for (const { status, json } of replies)
        if (status >= 300) this.refused.push(`${act}: ${status} ${json?.code ?? ''}`);
    };
    for (let n = 0; n < rounds; n++) {
      await timed('lists', async () => [await this.api('GET', '/posts?per_page=20')]);
      let id = '';
      await timed('creates', async () => {
        const made = await this.api('POST', '/posts', { title: `Fold ${n}`, post_type: 'slides' });
        id = made.json?.data?.id;
        return [made];
      });
      await timed('hears', async () => {
        if (id) await this.hear(id);
        return [];
      });
      await timed('uploads', () => this.upload(id));
      if (n % signInEvery === 0) await timed('signs in', async () => [await this.signIn()]);
    }
    return times;
  }

  /** Ends what it has opened. */
  leave(): Promise<void> {
    return this.receiver.stop();
  }

  private async listen(): Promise<void> {
    await this.receiver.start();
    this.receiver.answer = (response, { message }) => {
      response.end();
      this.hearing.get(message.data.post_id)?.();
    };
    const made = await this.api('POST', '/webhooks', { url: this.receiver.url, types: ['post.created'] });
    if (made.status >= 300) throw new Error(`there is no webhook: ${JSON.stringify(made)}`);
  }

  /** Waits until the webhook has told of the post. */
  private async hear(id: string): Promise<void> {
    if (!this.receiver.received.some(({ message }) => message.data.post_id === id))
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          this.refused.push('hears: nothing within a minute');
          resolve();
        }, 60_000);
        this.hearing.set(id, () => {
          clearTimeout(timer);
          resolve();
        });
      });
    this.hearing.delete(id);
    this.receiver.received.length = 0;
  }

  private api(method: string, path: string, json?: unknown): Promise<Reply> {
    return this.call(method, `${this.url}/api/v1${path}`, { key: this.key, json });
  }

  private async upload(id: string): Promise<Reply[]> {
    const granted = await this.api('POST', `/posts/${id}/assets`, {
      filename: 'slide.png',
      content_type: 'image/png',
    });
    const url = granted.json?.upload_url;
    if (url === undefined) return [{ ...granted, status: Math.max(granted.status, 500) }];
    return [granted, await this.call('PUT', url, { raw: SLIDE, headers: { 'content-type': 'image/png' } })];
  }

  private async addPerson(email: string): Promise<void> {
    const { json } = await this.api('POST', '/invitations', { role: 'editor' });
    const token = new URL(json.data.url).hash.slice(1);
    const accepted = await this.post('/auth/accept', { token, name: 'Ada', email, password: PASSWORD });
    if (accepted.status >= 300) throw new Error(`a person could not join: ${JSON.stringify(accepted)}`);
    this.people.push(email);
  }

  private signIn(): Promise<Reply> {
    const email = this.people[this.next++ % this.people.length];
    return this.post('/auth/sign-in', { email, password: PASSWORD });
  }

  private post(path: string, json: unknown): Promise<Reply> {
    const headers = { origin: this.url, 'x-airdate': 'dashboard' };
    return this.call('POST', `${this.url}/api/v1${path}`, { json, headers });
  }
}

/** By nearest rank: of a hundred, one may take longer. */
export function p99(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0);
}
