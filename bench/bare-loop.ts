// The baseline for the engine: the same calls to the same platform, with the same concurrency and pauses, and nothing else.
// It has no database and no leases, so nothing survives the end of the process. Reads its job from standard input and writes
// how long it took to standard output.
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

export interface BareJob {
  platformUrl: string;
  /** Where the platform fetches the slides from. */
  pictureUrl: string;
  /** The video's bytes, in base64. */
  video: string;
  tokens: string[];
  posts: { title: string; isVideo: boolean; account: number }[];
  /** Concurrency of posts, status queries and transfers. */
  room: { publish: number; poll: number; transfer: number };
  /** Between the acceptance of a post and each status query. */
  pauseMs: number;
}

export interface BareResult {
  /** From the first call to the acceptance of the last post, and to the last final status. */
  acceptedMs: number;
  endedMs: number;
}

const agent = new Agent({ keepAlive: true });
const job = JSON.parse(await text(process.stdin)) as BareJob;
const video = Buffer.from(job.video, 'base64');

async function send(method: string, url: string, headers: Record<string, string>, body: string | Buffer) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    request(url, { method, agent, headers: { ...headers, ...length } }, resolve)
      .on('error', reject)
      .end(body);
  });
  const answer = await text(response);
  if ((response.statusCode ?? 500) >= 300)
    throw new Error(`${url} answered ${response.statusCode}: ${answer}`);
  return answer;
}

// biome-ignore lint/suspicious/noExplicitAny: the platform's answers, unchecked
async function call(path: string, account: number, body: unknown): Promise<any> {
  const headers = { authorization: `Bearer ${job.tokens[account]}`, 'content-type': 'application/json' };
  return JSON.parse(await send('POST', job.platformUrl + path, headers, JSON.stringify(body))).data;
}

/** Limits concurrency, first come, first served. */
function lane(room: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= room) await new Promise<void>((enter) => waiting.push(enter));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

const lanes = {
  publish: lane(job.room.publish),
  poll: lane(job.room.poll),
  transfer: lane(job.room.transfer),
};

const COMMON = {
  privacy_level: 'SELF_ONLY',
  disable_comment: false,
  brand_content_toggle: false,
  brand_organic_toggle: false,
};

async function publish({ title, isVideo, account }: BareJob['posts'][number]) {
  await call('/v2/post/publish/creator_info/query/', account, {});
  if (!isVideo)
    return call('/v2/post/publish/content/init/', account, {
      media_type: 'PHOTO',
      post_mode: 'DIRECT_POST',
      post_info: { ...COMMON, title, auto_add_music: false },
      source_info: { source: 'PULL_FROM_URL', photo_images: [job.pictureUrl], photo_cover_index: 0 },
    });
  const size = { video_size: video.length, chunk_size: video.length, total_chunk_count: 1 };
  return call('/v2/post/publish/video/init/', account, {
    post_info: { ...COMMON, title, disable_duet: false, disable_stitch: false },
    source_info: { source: 'FILE_UPLOAD', ...size },
  });
}

const startedAt = performance.now();
let acceptedMs = 0;
await Promise.all(
  job.posts.map(async (post) => {
    const { publish_id, upload_url } = await lanes.publish(() => publish(post));
    acceptedMs = performance.now() - startedAt;
    if (upload_url) {
      const headers = {
        'content-type': 'video/mp4',
        'content-range': `bytes 0-${video.length - 1}/${video.length}`,
      };
      await lanes.transfer(() => send('PUT', upload_url, headers, video));
    }
    for (let status = ''; status !== 'PUBLISH_COMPLETE'; ) {
      await delay(job.pauseMs);
      const asked = { publish_id };
      status = (await lanes.poll(() => call('/v2/post/publish/status/fetch/', post.account, asked))).status;
      if (status === 'FAILED') throw new Error(`the platform failed to publish ${post.title}`);
    }
  }),
);
const result: BareResult = { acceptedMs, endedMs: performance.now() - startedAt };
process.stdout.write(JSON.stringify(result));
agent.destroy();
