// The client that replaces a video again and again: it repeats every request that was not acknowledged.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { sha256, type Version } from '../../support/media/videos.js';
import { ADMIN_TOKEN } from '../../support/service/harness.js';
import { type Answer, send } from '../../support/service/send.js';
import { inLife, type KillableService } from '../processes/killable-service.js';
import { STOPS_OF_GARBAGE, type Stop } from '../programs/stops.js';
import type { History } from './readers.js';

/** A sweep takes seconds; this notices one that never comes. */
const HANG_MS = 120_000;

/** An organization with a post that takes a video. */
export async function prepareVideoPost(service: KillableService): Promise<{ key: string; postId: string }> {
  const { url } = await service.current();
  const admin = `${url}/api/admin/v1/organizations`;
  const made = async (answer: Promise<Answer>) => {
    const { status, text, json } = await answer;
    assert.equal(status, 201, text);
    return json.data;
  };
  const { id } = await made(
    send('POST', admin, { key: ADMIN_TOKEN, body: { name: 'Films', plan: 'growth' } }),
  );
  const { key } = await made(
    send('POST', `${admin}/${id}/keys`, { key: ADMIN_TOKEN, body: { name: 'Key' } }),
  );
  const post = { title: 'The film', post_type: 'video' };
  return { key, postId: (await made(send('POST', `${url}/api/v1/posts`, { key, body: post }))).id };
}

interface Grant {
  object_key: string;
  upload_url: string;
}

export class Owner {
  private readonly service: KillableService;
  private readonly key: string;
  private readonly assets: string;
  private readonly history: History;
  private tookMs = 1000;
  private requests = 0;

  constructor(service: KillableService, key: string, postId: string, history: History) {
    this.service = service;
    this.key = key;
    this.assets = `/api/v1/posts/${postId}/assets`;
    this.history = history;
  }

  /** Replaces the video, and lets the service die once on the way. */
  async replace(version: Version, stop: Stop | null): Promise<void> {
    const first = await this.service.current();
    const isFirst = version.number === 1;
    if (stop) await this.service.arm({ stop, bytes: Math.ceil(Math.random() * version.bytes.length) });
    const killing = stop || isFirst ? null : this.killAtAnyMoment();
    const startedAt = performance.now();
    await this.upload(version);
    if (isFirst) this.tookMs = performance.now() - startedAt;
    await killing;
    // The replaced video is removed when its grace period is over.
    if (stop && STOPS_OF_GARBAGE.includes(stop)) await orTooLong(first.ended);
  }

  /** The hash of the current video. */
  async download(): Promise<string> {
    const { json } = await this.surely('GET', this.assets);
    const response = await fetch(json.data[0].url);
    return sha256(new Uint8Array(await response.arrayBuffer()));
  }

  private async killAtAnyMoment(): Promise<void> {
    await delay(Math.random() * 2 * this.tookMs);
    await this.service.kill();
  }

  private async upload(version: Version): Promise<void> {
    let grant = await this.grant(version);
    for (;;) {
      const life = await this.service.current();
      const answer = await inLife(life, (url) => this.put(url, grant, version));
      if (answer?.status === 200) break;
      if (answer) {
        // It had arrived before the process died.
        assert.deepEqual([answer.status, answer.json.code], [409, 'already_uploaded'], answer.text);
        const { status, text } = await this.surely('POST', `${this.assets}/complete`, {
          object_key: grant.object_key,
        });
        assert.equal(status, 200, text);
        break;
      }
      // Both are right for a client: the same upload URL again, or a new one.
      if (Math.random() < 0.3) grant = await this.grant(version);
    }
    this.history.acknowledged = version.number;
  }

  private async grant(version: Version): Promise<Grant> {
    const { status, json, text } = await this.surely('POST', this.assets, {
      filename: `version-${version.number}.mp4`,
      content_type: 'video/mp4',
      replace: true,
      ...(version.number % 2 === 0 ? { content_length: version.bytes.length } : {}),
    });
    assert.equal(status, 200, text);
    this.history.byKey.set(json.object_key, version);
    return json;
  }

  /** To the granted URL, on the current port of the service. */
  private put(url: string, grant: Grant, { bytes }: Version): Promise<Answer> {
    const { pathname, search } = new URL(grant.upload_url);
    return send('PUT', url + pathname + search, { raw: bytes, headers: { 'content-type': 'video/mp4' } });
  }

  /** Repeats a request until it is answered. The key makes sure that it takes effect once. */
  private async surely(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers: Record<string, string> =
      method === 'GET' ? {} : { 'idempotency-key': `request-${this.requests++}` };
    for (;;) {
      const life = await this.service.current();
      const answer = await inLife(life, (url) => send(method, url + path, { key: this.key, body, headers }));
      if (answer) return answer;
    }
  }
}

async function orTooLong(event: Promise<void>): Promise<void> {
  const waiting = new AbortController();
  const tooLong = delay(HANG_MS, undefined, { signal: waiting.signal });
  await Promise.race([event, tooLong]).finally(() => waiting.abort());
}
