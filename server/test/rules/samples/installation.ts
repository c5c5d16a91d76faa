// An installation made by following the guides in a terminal, on its own ports.
import assert from 'node:assert/strict';
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Terminal } from '../../support/programs/terminal.js';
import { send } from '../../support/service/send.js';
import { BACKUP, HOSTING } from './recipe-titles.js';
import { shellUnder, withTexts } from './samples.js';

export interface Ports {
  api: number;
  worker: number;
  sandbox: number;
}

export class Installation {
  readonly terminal = new Terminal();
  readonly ports: Ports;
  /** Of the organization that the recipe creates. */
  key = '';

  private constructor(ports: Ports) {
    this.ports = ports;
  }

  /** With a sandbox of its own, or beside one that runs. */
  static async open(sandbox?: number): Promise<Installation> {
    return new Installation({
      api: await unusedPort(),
      worker: await unusedPort(),
      sandbox: sandbox ?? (await unusedPort()),
    });
  }

  /** Runs the blocks under these headings, with other ports and with these texts in place of the guide's. */
  async follow(titles: readonly string[], texts: Record<string, string> = {}): Promise<string> {
    const script = titles.map((title) => shellUnder(HOSTING, title)).join('\n');
    return this.terminal.run(withTexts(this.withPorts(script), texts));
  }

  /** Runs a block of the guide to backups. */
  followBackup(title: string): Promise<string> {
    return this.terminal.run(this.withPorts(shellUnder(BACKUP, title)));
  }

  private withPorts(script: string): string {
    const { api, worker, sandbox } = this.ports;
    const ours = new Map([
      ['3000', api],
      ['3001', worker],
      ['4000', sandbox],
    ]);
    // In one pass, because a port of ours may contain the digits of the guide's.
    return script.replace(/\b(?:3000|3001|4000)\b/g, (port) => String(ours.get(port)));
  }

  /** The carousel of the recipe is on the sandbox's front page, with both slides. */
  async assertOnFeed(): Promise<void> {
    const feed = `http://localhost:${this.ports.sandbox}`;
    const { text } = await send('GET', `${feed}/`, {});
    const [post = ''] = /<article[\s\S]*?Two ways to roll a map[\s\S]*?<\/article>/.exec(text) ?? [];
    const slides = [...post.matchAll(/src="(\/media\/[^"]+)"/g)].map(([, path]) => path);
    assert.equal(slides.length, 2, text);
    for (const path of slides) assert.equal((await send('GET', feed + path, {})).status, 200);
  }

  /** The organization's posts, and the checksums of their files as the service serves them. */
  async contents(): Promise<{ posts: unknown[]; files: string[] }> {
    const { data } = await this.get(`${this.api}/posts`);
    const posts = data.map(({ id, title, status, posted_at }: Record<string, unknown>) => ({
      id,
      title,
      status,
      posted_at,
    }));
    const files: string[] = [];
    for (const { id } of posts)
      for (const { url } of (await this.get(`${this.api}/posts/${id}/assets`)).data) {
        const answer = await fetch(url);
        assert.equal(answer.status, 200, url);
        files.push(
          createHash('sha256')
            .update(Buffer.from(await answer.arrayBuffer()))
            .digest('hex'),
        );
      }
    return { posts, files };
  }

  /** Archives and deletes the organization's posts. */
  async delete(): Promise<void> {
    const { data } = await this.get(`${this.api}/posts`);
    const ids = data.map(({ id }: { id: string }) => id);
    await send('PATCH', `${this.api}/posts/batch`, { key: this.key, body: { ids, action: 'archive' } });
    for (const id of ids)
      assert.equal((await send('DELETE', `${this.api}/posts/${id}`, { key: this.key })).status, 204);
  }

  async readiness(): Promise<{ safe_mode: boolean }> {
    return (await send('GET', `http://localhost:${this.ports.api}/readyz`, {})).json;
  }

  private get api(): string {
    return `http://localhost:${this.ports.api}/api/v1`;
  }

  private async get(url: string) {
    const { status, json, text } = await send('GET', url, { key: this.key });
    assert.equal(status, 200, text);
    return json;
  }
}

/** Below the ports that the system gives to outgoing connections, so that none of those takes it before it is used. */
export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    const probe = createServer().listen(port, 'localhost');
    const isFree = await Promise.race([
      once(probe, 'listening').then(() => true),
      once(probe, 'error').then(() => false),
    ]).catch(() => false);
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
