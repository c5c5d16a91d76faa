// Many posts on many accounts, created over HTTP like a client's, and each compared with the platform's ledger.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../src/db/database.js';
import { judgePost, type Published, wrongCounters } from '../../support/platform/compare-with-platform.js';
import { ADMIN_TOKEN, consent } from '../../support/service/harness.js';
import { at } from '../../support/service/posts.js';
import { type Answer, send } from '../../support/service/send.js';
import { media, typeOf } from '../../support/service/uploads.js';
import { cloneAssets } from '../sweep/clones.js';

const ACCOUNTS = 20;
/** Only to notice a hang. */
const HANG_MS = 600_000;

interface Place {
  url: string;
  sandboxUrl: string;
  db: Database;
  dir: string;
}

export class Campaign {
  private readonly place: Place;
  private readonly key: string;
  private readonly templates: { slides: string; video: string };
  private readonly accounts: string[] = [];
  /** The tag in the text, by post id. */
  private readonly posts = new Map<string, string>();
  private again = 0;

  private constructor(place: Place, key: string, templates: Campaign['templates']) {
    this.place = place;
    this.key = key;
    this.templates = templates;
  }

  static async prepare(place: Place): Promise<Campaign> {
    const asOperator = async (path: string, body: object) =>
      good(await send('POST', `${place.url}/api/admin/v1/organizations${path}`, { key: ADMIN_TOKEN, body }));
    const { id } = await asOperator('', { name: 'Chaos', plan: 'growth' });
    const { key } = await asOperator(`/${id}/keys`, { name: 'Chaos' });
    const campaign = new Campaign(place, key, { slides: '', video: '' });
    for (const [kind, file] of [
      ['slides', 'slide.jpg'],
      ['video', 'tiny.mp4'],
    ] as const)
      campaign.templates[kind] = await campaign.addTemplate(kind, file);
    for (let i = 0; i < ACCOUNTS; i++) await campaign.connect(`chaos.${i}`);
    campaign.accounts.push(...(await campaign.listAccounts()).map((account) => account.id));
    return campaign;
  }

  private call(method: string, path: string, body?: object): Promise<Answer> {
    return send(method, `${this.place.url}/api/v1${path}`, { key: this.key, ...(body ? { body } : {}) });
  }

  private async addTemplate(post_type: string, file: string): Promise<string> {
    const { id } = good(await this.call('POST', '/posts', { title: 'Template', post_type }));
    const content_type = typeOf(file);
    const grant = await this.call('POST', `/posts/${id}/assets`, { filename: file, content_type });
    const { upload_url, object_key } = grant.json;
    const headers = { 'content-type': content_type };
    assert.equal((await send('PUT', upload_url, { raw: media(file), headers })).status, 200);
    good(await this.call('POST', `/posts/${id}/assets/complete`, { object_key }));
    return id;
  }

  private async connect(username: string): Promise<void> {
    const { authorize_url } = good(await this.call('POST', '/social-accounts/connect'));
    const back = await consent(authorize_url, { decision: 'allow', username });
    assert.equal((await send('GET', back, {})).status, 200);
  }

  private async listAccounts(): Promise<{ id: string; username: string; status: string }[]> {
    return (await this.call('GET', '/social-accounts?per_page=100')).json.data;
  }

  /** Half slides, half videos, with slots spread over the whole time. */
  async schedule(count: number, seconds: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const kind = i % 2 === 0 ? 'slides' : 'video';
      const tag = `chaos post ${i}.`;
      const { id } = good(await this.call('POST', '/posts', { title: tag, caption: tag, post_type: kind }));
      await cloneAssets(this.place.db, join(this.place.dir, 'files'), this.templates[kind], id);
      this.posts.set(id, tag);
    }
    const start = Date.now() + 2_000;
    for (const [i, id] of [...this.posts.keys()].entries())
      await this.book(id, start + (i / count) * seconds * 800, this.accounts[i % ACCOUNTS]);
  }

  private async book(id: string, slot: number, social_account_id?: string): Promise<void> {
    good(
      await this.call('PATCH', `/posts/${id}`, {
        status: 'scheduled',
        scheduled_at: at(Math.max(slot, Date.now() + 1_000)),
        privacy_level: 'PUBLIC_TO_EVERYONE',
        ...(social_account_id ? { social_account_id } : {}),
      }),
    );
  }

  /** Until nothing is left to do. Posts that ran out of retries are scheduled again, and lost accounts reconnected. */
  async finish(): Promise<void> {
    const giveUpAt = performance.now() + HANG_MS;
    for (;;) {
      for (const { username, status } of await this.listAccounts())
        if (status !== 'connected') await this.connect(username);
      const { posts, dispatches } = await this.readAll();
      for (const { id, status } of posts)
        if (status === 'draft') {
          this.again++;
          await this.book(id, 0);
        }
      const isOver =
        posts.every(({ status }) => status === 'posted' || status === 'publishing') &&
        dispatches.every(({ next_at }) => next_at === null);
      if (isOver) return;
      if (performance.now() > giveUpAt) {
        const open = dispatches.filter(({ next_at }) => next_at !== null);
        const states = open.map(({ outcome, phase }) => `${outcome} ${phase}`);
        const found = `posts ${countOf(posts.map(({ status }) => status))}; open attempts ${countOf(states)}`;
        throw new Error(`it never ended: ${found}`);
      }
      await delay(500);
    }
  }

  private async readAll() {
    const ids = [...this.posts.keys()];
    const { read } = this.place.db;
    const posts = await read.selectFrom('posts').selectAll().where('id', 'in', ids).execute();
    const log = read.selectFrom('dispatches').selectAll().where('post_id', 'in', ids);
    return { posts, dispatches: await log.orderBy('attempt').execute() };
  }

  async judge() {
    const { posts, dispatches } = await this.readAll();
    const { json } = await send('GET', `${this.place.sandboxUrl}/__control/publishes`, {});
    const ledger = (json.data as Published[]).map((row) => ({ ...row, text: JSON.stringify(row.request) }));
    const found = { unknown: 0, twice: 0, lost: this.posts.size - posts.length, wrong: 0 };
    const failures: string[] = [];
    for (const post of posts) {
      const tag = this.posts.get(post.id);
      const attempts = dispatches.filter(({ post_id }) => post_id === post.id);
      const seen = ledger.filter(({ text }) => text.includes(`"${tag}`));
      const judgement = judgePost(post, attempts, seen);
      if (judgement.isUnknown) found.unknown++;
      for (const kind of ['twice', 'lost', 'wrong'] as const) {
        if (judgement[kind].length > 0) found[kind]++;
        failures.push(...judgement[kind].map((what) => `${kind}: ${tag}: ${what}`));
      }
    }
    failures.push(...(await wrongCounters(this.place.db)));
    return {
      posts: posts.length,
      attempts: dispatches.length,
      'booked again': this.again,
      ...found,
      failures,
    };
  }
}

function countOf(words: string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, n]) => `${n} ${word}`).join(', ');
}

/** The response to a request that must succeed. */
function good(answer: Answer) {
  assert.ok(answer.status < 300, `${answer.status}: ${answer.text}`);
  return answer.json.data;
}
