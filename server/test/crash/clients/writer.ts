// A client that writes without a pause and remembers what was acknowledged.
import assert from 'node:assert/strict';
import type { Post } from '../../../src/posts/schema.js';
import type { Answer } from '../../support/service/send.js';

export interface Request {
  method: string;
  path: string;
  body?: Record<string, unknown>;
  key?: string;
}

/** A write: its effect once acknowledged, and what to find if the response never came. */
interface Step {
  request: Request;
  status: number;
  acknowledged(answer: Answer): void;
  /** After the restart: all of it happened or nothing; the writer continues from what it finds. */
  settle(): Promise<void>;
}

/** Each has posts of its own, so that no other writes confuse it. */
export class Writer {
  /** As last acknowledged. */
  readonly posts = new Map<string, Post>();
  readonly deleted: string[] = [];
  private readonly name: string;
  private readonly ask: (request: Request) => Promise<Answer>;
  private readonly rowsTitled: (title: string) => { id: string }[];
  private readonly recent = new Set<string>();
  private keyed: { request: Request; text: string }[] = [];
  private count = 0;
  private open: Step | null = null;

  constructor(name: string, ask: Writer['ask'], rowsTitled: Writer['rowsTitled']) {
    this.name = name;
    this.ask = ask;
    this.rowsTitled = rowsTitled;
  }

  async writeUntilItBreaks(onAcknowledged: () => void): Promise<void> {
    this.recent.clear();
    this.keyed = [];
    for (;;) {
      const step = this.next();
      this.open = step;
      const answer = await this.ask(step.request).catch(() => null);
      if (answer === null) return;
      assert.equal(answer.status, step.status, `${step.request.method} ${step.request.path}: ${answer.text}`);
      step.acknowledged(answer);
      this.open = null;
      onAcknowledged();
    }
  }

  async settle(): Promise<void> {
    await this.open?.settle();
    this.open = null;
  }

  /** Every post of this round is as acknowledged, and every key repeats its response without another effect. */
  async compareRecent(): Promise<void> {
    for (const id of this.recent) {
      const expected = this.posts.get(id);
      const { status, json } = await this.get(id);
      if (!expected) assert.equal(status, 404, `${id} came back`);
      else assert.deepEqual([status, essence(json.data)], [200, essence(expected)]);
    }
    for (const { request, text } of this.keyed) {
      const again = await this.ask(request);
      assert.deepEqual([again.status, again.text], [201, text]);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
      assert.ok(this.rowsTitled(String(request.body?.title)).length <= 1);
    }
  }

  private next(): Step {
    const n = this.count++;
    const drafts = [...this.posts.values()].filter((post) => post.status === 'draft');
    const [draft] = drafts;
    if (draft && n % 5 === 2) return this.change(draft, n);
    if (drafts.length > 2 && n % 5 === 3) return this.archive(drafts.slice(0, 3));
    const archived = [...this.posts.values()].find((post) => post.status === 'archived');
    if (archived && n % 5 === 4) return this.remove(archived);
    return this.create(n, n % 2 === 0);
  }

  private create(n: number, withKey: boolean): Step {
    const title = `${this.name}-${n}`;
    const body = { title, caption: `The caption of ${title}`, post_type: n % 3 ? 'slides' : 'video' };
    const request: Request = {
      method: 'POST',
      path: '/api/v1/posts',
      body,
      ...(withKey ? { key: `key-${title}` } : {}),
    };
    const acknowledged = (answer: Answer) => {
      this.remember(answer.json.data);
      if (withKey) this.keyed.push({ request, text: answer.text });
    };
    return {
      request,
      status: 201,
      acknowledged,
      settle: async () => {
        const rows = this.rowsTitled(title);
        assert.ok(rows.length <= 1, `${title} exists ${rows.length} times`);
        if (withKey) {
          const again = await this.ask(request);
          assert.equal(again.status, 201, again.text);
          assert.equal(again.headers.get('idempotency-replayed'), rows.length === 1 ? 'true' : null);
          assert.equal(again.json.data.id, rows[0]?.id ?? again.json.data.id);
          assert.equal(this.rowsTitled(title).length, 1);
          acknowledged(again);
        } else if (rows[0]) {
          const { json } = await this.get(rows[0].id);
          const { title, caption, post_type, status } = json.data;
          assert.deepEqual({ title, caption, post_type, status }, { ...body, status: 'draft' });
          this.remember(json.data);
        }
      },
    };
  }

  private change(post: Post, n: number): Step {
    const body = { title: `${this.name}-${n}-changed`, caption: `Changed ${n}`, disable_duet: n % 2 === 0 };
    return {
      request: { method: 'PATCH', path: `/api/v1/posts/${post.id}`, body },
      status: 200,
      acknowledged: (answer) => this.remember(answer.json.data),
      settle: async () => {
        const { json } = await this.get(post.id);
        const { updated_at: _, ...now } = json.data;
        const { updated_at: __, ...old } = post;
        assert.deepEqual(now, json.data.title === post.title ? old : { ...old, ...body });
        this.remember(json.data);
      },
    };
  }

  private archive(posts: Post[]): Step {
    const ids = posts.map((post) => post.id);
    const archived = () => {
      for (const post of posts) this.remember({ ...post, status: 'archived' });
    };
    return {
      request: { method: 'PATCH', path: '/api/v1/posts/batch', body: { ids, action: 'archive' } },
      status: 200,
      acknowledged: (answer) => {
        assert.equal(answer.json.data.archived, ids.length);
        archived();
      },
      settle: async () => {
        const now = await Promise.all(ids.map(async (id) => (await this.get(id)).json.data.status));
        assert.equal(new Set(now).size, 1, `a batch was half done: ${now}`);
        if (now[0] === 'archived') archived();
      },
    };
  }

  private remove(post: Post): Step {
    const removed = () => {
      this.recent.add(post.id);
      this.posts.delete(post.id);
      this.deleted.push(post.id);
    };
    return {
      request: { method: 'DELETE', path: `/api/v1/posts/${post.id}` },
      status: 204,
      acknowledged: removed,
      settle: async () => {
        const { status } = await this.get(post.id);
        assert.ok(status === 200 || status === 404);
        if (status === 404) removed();
      },
    };
  }

  private remember(post: Post): void {
    this.posts.set(post.id, post);
    this.recent.add(post.id);
  }

  private get(id: string): Promise<Answer> {
    return this.ask({ method: 'GET', path: `/api/v1/posts/${id}` });
  }
}

/** A batch does not say when it changed a post, so that time is unknown for archived ones. */
export function essence(post: Post): Partial<Post> {
  if (post.status !== 'archived') return post;
  const { updated_at: _, ...rest } = post;
  return rest;
}
