// The mixed load: people who list, read, write, upload, schedule and publish, all the time. Each waits for an answer before it
// asks the next question, and none repeats a failed one.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from '../product.mjs';

const SLIDE = readFileSync(join(root, 'server/test/media/small.jpg'));
const PEOPLE = 10;
const PAUSE_MS = 50;

export class Load {
  /** Every post whose creation was confirmed, by title: what was asked for, and confirmed. */
  posts = new Map();
  #client;
  #account;
  #stopped = false;
  #people = [];
  #number = 0;

  constructor(client, account) {
    this.#client = client;
    this.#account = account;
  }

  start() {
    for (let i = 0; i < PEOPLE; i++) this.#people.push(this.#person());
  }

  async stop() {
    this.#stopped = true;
    await Promise.all(this.#people);
  }

  async #person() {
    while (!this.#stopped) {
      const chance = Math.random();
      if (chance < 0.4) await this.#client.call('list', 'GET', '/api/v1/posts?per_page=20');
      else if (chance < 0.65) await this.#readOne();
      else if (chance < 0.8) await this.#create();
      else if (chance < 0.92) await this.#schedule();
      else await this.#publish();
      await delay(PAUSE_MS * (0.5 + Math.random()));
    }
  }

  async #readOne() {
    const known = [...this.posts.values()];
    const one = known[Math.floor(Math.random() * known.length)];
    if (one) await this.#client.call('get', 'GET', `/api/v1/posts/${one.id}`);
  }

  async #create() {
    const title = `Trial ${++this.#number} ${randomUUID().slice(0, 8)}`;
    const made = await this.#client.call('create', 'POST', '/api/v1/posts', { body: { title } });
    if (!made) return null;
    const post = { id: made.json.data.id, title, wanted: 'draft' };
    this.posts.set(title, post);
    return post;
  }

  /** A post with one slide, or null if a step failed. */
  async #createWithSlide() {
    const post = await this.#create();
    if (!post) return null;
    const of = `/api/v1/posts/${post.id}/assets`;
    const body = { filename: 'one.jpg', content_type: 'image/jpeg' };
    const grant = await this.#client.call('grant', 'POST', of, { body });
    if (!grant) return null;
    const headers = { 'content-type': 'image/jpeg' };
    if (!(await this.#client.call('upload', 'PUT', grant.json.upload_url, { bytes: SLIDE, headers })))
      return null;
    const done = { object_key: grant.json.object_key };
    return (await this.#client.call('complete', 'POST', `${of}/complete`, { body: done })) && post;
  }

  async #schedule() {
    const post = await this.#createWithSlide();
    if (!post) return;
    const body = {
      status: 'scheduled',
      scheduled_at: new Date(Date.now() + 2_000 + Math.random() * 4_000).toISOString(),
      social_account_id: this.#account,
      privacy_level: 'PUBLIC_TO_EVERYONE',
    };
    post.wanted = 'asked';
    if (await this.#client.call('schedule', 'PATCH', `/api/v1/posts/${post.id}`, { body }))
      post.wanted = 'scheduled';
  }

  async #publish() {
    const post = await this.#createWithSlide();
    if (!post) return;
    const body = { social_account_id: this.#account, privacy_level: 'PUBLIC_TO_EVERYONE' };
    const headers = { 'idempotency-key': randomUUID() };
    post.wanted = 'asked';
    const path = `/api/v1/posts/${post.id}/publish`;
    if (await this.#client.call('publish', 'POST', path, { body, headers })) post.wanted = 'published';
  }
}
