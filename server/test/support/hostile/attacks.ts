// What one tenant, or a stranger, does to stop the others. Each attack runs in many lanes at the same time, over HTTP.
import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { HOSTILE } from '../media/hostile-media.js';
import { png } from '../media/parts.js';
import { CONNECTION_ATTACKS } from './connection-attacks.js';
import { HOSTILE_CSV, MAX_CSV } from './hostile-csv.js';
import { clientAt } from './tenant-client.js';
import { slowReceivers } from './webhook-attack.js';

export interface Target {
  url: string;
  /** A key of the attacker's organization. */
  key: string;
  /** Email addresses of people who sign in meanwhile. */
  victims: string[];
}

/** One more request, or a few that belong together. Returns the last status. */
type Step = (lane: number, n: number) => Promise<number>;

export interface Attack {
  title: string;
  lanes: number;
  /** It takes memory; a second time it must not take more. */
  isFlood?: true;
  prepare(target: Target): Promise<Step>;
}

/** Folds to four characters. */
const QUADRUPLE_PRIME = '\u2057';
const CAPTION_LENGTH = 2_200;
const MB = 1024 * 1024;

const tenant = clientAt('127.0.3.1');
const strangers = Array.from({ length: 32 }, (_, n) => clientAt(`127.0.4.${n + 1}`));
const stranger = (n: number) => strangers[n % strangers.length] as (typeof strangers)[number];

async function newPost({ url, key }: Target, fields: Record<string, unknown>): Promise<string> {
  const { json } = await tenant('POST', `${url}/api/v1/posts`, { key, json: fields });
  return json?.data?.id;
}

const searches: Attack = {
  title: 'searches that cost as much as a search can',
  lanes: 12,
  async prepare(target) {
    const caption = QUADRUPLE_PRIME.repeat(CAPTION_LENGTH);
    for (let n = 0; n < 300; n++) await newPost(target, { title: 'Hostile', post_type: 'slides', caption });
    const words = [`${'\u2032'.repeat(90)}x`, 'a b c d e f g h', `${QUADRUPLE_PRIME.repeat(20)}x`, 'host zz'];
    return async (lane, n) => {
      const q = encodeURIComponent(words[(lane + n) % words.length] as string);
      return (await tenant('GET', `${target.url}/api/v1/posts?q=${q}`, { key: target.key })).status;
    };
  },
};

const bodies: Attack = {
  title: 'bodies of a megabyte, without a key and with one',
  lanes: 4,
  async prepare({ url, key }) {
    const raw = `{"title":[${'1,'.repeat(500_000)}1]}`;
    const nested = `{"title":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    const headers = { 'content-type': 'application/json' };
    return async (lane, n) => {
      const isOwn = lane % 2 === 0;
      const call = isOwn ? tenant : stranger(n);
      const path = isOwn || n % 2 === 0 ? '/api/v1/posts' : '/api/v1/auth/sign-in';
      const body = n % 2 === 0 ? raw : nested;
      return (await call('POST', url + path, { raw: body, headers, ...(isOwn ? { key } : {}) })).status;
    };
  },
};

const imports: Attack = {
  title: 'CSV files that cost as much as a file can',
  lanes: 6,
  async prepare({ url, key }) {
    const bodies = HOSTILE_CSV.map(({ csv }) => JSON.stringify({ csv: csv(MAX_CSV), dry_run: true }));
    const headers = { 'content-type': 'application/json' };
    return async (lane, n) => {
      const raw = bodies[(lane * 5 + n) % bodies.length] as string;
      return (await tenant('POST', `${url}/api/v1/posts/import`, { key, raw, headers })).status;
    };
  },
};

/** Uploads the same file to new posts, again and again. */
async function uploads(
  target: Target,
  type: 'slides' | 'video',
  filename: string,
  bytes: Buffer,
): Promise<Step> {
  const content_type = type === 'video' ? 'video/mp4' : filename.endsWith('png') ? 'image/png' : 'image/jpeg';
  return async () => {
    const id = await newPost(target, { title: 'Hostile', post_type: type });
    if (id === undefined) return 429;
    const { url, key } = target;
    const json = { filename, content_type };
    const granted = await tenant('POST', `${url}/api/v1/posts/${id}/assets`, { key, json });
    if (granted.status !== 201 && granted.status !== 200) return granted.status;
    const headers = { 'content-type': content_type };
    return (await tenant('PUT', granted.json.upload_url, { raw: bytes, headers })).status;
  };
}

const slowSlides: Attack = {
  title: 'pictures that take long to decode',
  lanes: 24,
  async prepare(target) {
    const side = 4_000;
    const create = { width: side, height: side, channels: 3, background: '#123' } as const;
    const heavy = await sharp({ create: { ...create, noise: { type: 'gaussian', mean: 128, sigma: 40 } } })
      .jpeg({ quality: 60, progressive: true })
      .toBuffer();
    return uploads(target, 'slides', 'heavy.jpg', heavy);
  },
};

const longDecodes: Attack = {
  title: 'pictures of 49 megapixels in few bytes',
  lanes: 15,
  prepare: (target) =>
    uploads(target, 'slides', 'long.png', png({ width: 7000, height: 7000, depth: 16, colour: 6 })),
};

const brokenVideos: Attack = {
  title: 'videos that are broken',
  lanes: 10,
  async prepare(target) {
    const broken = HOSTILE.find(({ title }) => title.startsWith('MP4 with 2^32-1 samples in a fragment'));
    if (!broken) throw new Error('the broken video has another title now');
    return uploads(target, 'video', 'broken.mp4', broken.bytes());
  },
};

const storage: Attack = {
  title: 'as many bytes, posts, keys and invitations as it can get',
  lanes: 6,
  async prepare(target) {
    const noise = randomBytes(19 * MB);
    const fill = await uploads(target, 'slides', 'noise.png', noise);
    const { url, key } = target;
    return async (lane, n) => {
      if (lane < 2) return fill(lane, n);
      const [path, json] = [
        ['/api/v1/posts', { title: `Post ${n}`, post_type: 'slides', caption: 'x'.repeat(2_000) }],
        ['/api/v1/keys', { name: `Key ${n}` }],
        ['/api/v1/invitations', { role: 'viewer' }],
      ][lane % 3] as [string, unknown];
      return (await tenant('POST', url + path, { key, json })).status;
    };
  },
};

const door: Attack = {
  title: 'passwords and operator tokens that are guessed from many addresses',
  lanes: 16,
  async prepare({ url, victims }) {
    const headers = { origin: url, 'x-airdate': 'dashboard' };
    return async (lane, n) => {
      const call = stranger(lane + n);
      if (lane % 8 === 0)
        return (
          await call('GET', `${url}/api/admin/v1/organizations`, { key: `guess-${'x'.repeat(40)}-${n}` })
        ).status;
      const email = n % 2 === 0 ? victims[n % victims.length] : `unknown.${lane}.${n}@example.com`;
      const json = { email, password: `a wrong guess ${lane} ${n}` };
      return (await call('POST', `${url}/api/v1/auth/sign-in`, { json, headers })).status;
    };
  },
};

const reads: Attack = {
  title: 'reads that cost as much as a read can',
  lanes: 12,
  async prepare(target) {
    for (let n = 0; n < 300; n++) await newPost(target, { title: `Post ${n}`, post_type: 'slides' });
    const paths = [
      '/api/v1/analytics/timeline?from=2025-11-17T00:00:00Z&to=2026-11-16T00:00:00Z',
      '/api/v1/posts?per_page=100&include=cover',
      '/api/v1/posts?per_page=100&needs_attention=true',
      '/api/v1/posts?per_page=100&sort=scheduled_at&page=1000',
      '/api/v1/posts?q=post&per_page=100&include=cover',
      '/api/v1/analytics',
    ];
    return async (lane, n) => {
      const path = paths[(lane + n) % paths.length];
      return (await tenant('GET', target.url + path, { key: target.key })).status;
    };
  },
};

export const ATTACKS: readonly Attack[] = [
  searches,
  bodies,
  imports,
  slowSlides,
  longDecodes,
  brokenVideos,
  storage,
  door,
  reads,
  slowReceivers,
  ...CONNECTION_ATTACKS,
];
