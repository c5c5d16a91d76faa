// How fast the engine publishes posts that are all due at the same time, compared with a bare loop that makes the same calls to the
// same platform; and how late posts start, then and when they are spread evenly.
//
// The platform is a sandbox process without delays or limits. Airdate is one process on SQLite with the API, from which the
// platform fetches slides, and the worker. The bare loop has a bare server for the same slides.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { App } from '@airdate/server/src/app/app.js';
import { fitPicture } from '@airdate/server/src/assets/media/fit-picture.js';
import { recount } from '@airdate/server/src/db/recount.js';
import { POOL_LIMITS } from '@airdate/server/src/publishing/schedule/engine.js';
import {
  type Attempt,
  addDuePosts,
  type Owner,
  ownerOfAccounts,
  smallPicture,
  tokensOf,
  VIDEO,
} from '@airdate/server/test/support/world/due-posts.js';
import { type Lateness, latenessOf } from '@airdate/server/test/support/world/lateness.js';
import { allPublished } from './all-published.js';
import type { BareResult } from './bare-loop.js';
import { median } from './measure.js';
import { type Running, runBareLoop, startBare, startPart } from './processes.js';
import { withApp } from './seed.js';

export interface DrainPlan {
  /** Posts due at the same time, in each round. */
  posts: number;
  rounds: number;
  spread: { posts: number; overMs: number };
}

export interface DrainResult {
  /** Until every post is published: this covers all calls that the bare loop makes. */
  published: Share;
  /** Until the platform has accepted every post. Fetching slides and status queries may still be ahead for the faster side. */
  accepted: Share;
  drained: Lateness;
  spread: Lateness;
}

/** Posts per second, each the median over the rounds. Rounds of the engine and the bare loop alternate. */
export interface Share {
  share: number;
  ours: number;
  bare: number;
}

const ACCOUNTS = 100;
const VIDEO_EVERY = 10;
const WARM_UP = 200;
/** How long before their slot posts are inserted: their files are written meanwhile. */
const LEAD_MS = 2_000;

interface World {
  app: App;
  owner: Owner;
  picture: Buffer;
  platformUrl: string;
  pictureUrl: string;
  tokens: string[];
}

export async function drain(dir: string, plan: DrainPlan): Promise<DrainResult> {
  const running: Running[] = [];
  const started = async (starting: Promise<Running>) => {
    const process = await starting;
    running.unshift(process);
    return process.url;
  };
  try {
    const platformUrl = await started(
      startPart('sandbox', join(dir, 'platform'), { SANDBOX_PROCESSING_MS: '0' }),
    );
    const unpaced = { SOCIAL_INITS_PER_MINUTE: '0', SOCIAL_POSTS_PER_DAY: '0' };
    const env = { SOCIAL_API_URL: platformUrl, ...unpaced };
    const publicUrl = await started(startPart('serve', dir, { ...env, DEMO: 'off' }));
    const picture = await smallPicture();
    const fitted = join(dir, 'fitted.jpg');
    writeFileSync(fitted, await fitPicture(async () => Readable.from([picture])));
    const bareUrl = await started(startBare({ PICTURE: fitted }));
    return await withApp({ ...env, DATA_DIR: dir, PUBLIC_URL: publicUrl }, async (app) => {
      const owner = await ownerOfAccounts(app, ACCOUNTS);
      const tokens = await tokensOf(app, owner);
      const pictureUrl = `${bareUrl}/picture.jpg`;
      return measure({ app, owner, picture, platformUrl, pictureUrl, tokens }, plan);
    });
  } finally {
    for (const process of running) await process.stop();
  }
}

async function measure(world: World, { posts, rounds, spread }: DrainPlan): Promise<DrainResult> {
  await engineRun(world, 'warm-up', WARM_UP, 0);
  await bareRun(world, 'warm-up', WARM_UP);
  const rates: Record<'published' | 'accepted', { ours: number[]; bare: number[] }> = {
    published: { ours: [], bare: [] },
    accepted: { ours: [], bare: [] },
  };
  const attempts: Attempt[] = [];
  for (let round = 1; round <= rounds; round++) {
    const drained = await engineRun(world, `round ${round}`, posts, 0);
    attempts.push(...drained);
    const bare = await bareRun(world, `round ${round}`, posts);
    rates.published.ours.push(rateOf(drained, 'finished_at'));
    rates.published.bare.push(posts / (bare.endedMs / 1000));
    rates.accepted.ours.push(rateOf(drained, 'accepted_at'));
    rates.accepted.bare.push(posts / (bare.acceptedMs / 1000));
    const last = (list: number[]) => list.at(-1)?.toFixed(0);
    const said = Object.entries(rates).map(
      ([what, r]) => `${what} ${last(r.ours)}/s, bare ${last(r.bare)}/s`,
    );
    process.stderr.write(`drain, round ${round}: ${said.join('; ')}\n`);
  }
  const even = await engineRun(world, 'spread', spread.posts, spread.overMs);
  const wrong = await recount(world.app.db, ['posts', 'dispatches']);
  if (wrong.length > 0) throw new Error(`the counters are wrong after the run: ${JSON.stringify(wrong)}`);
  return {
    published: shareOf(rates.published),
    accepted: shareOf(rates.accepted),
    drained: latenessOf(attempts),
    spread: latenessOf(even),
  };
}

/** Inserts posts, waits until the platform has published all of them, and returns the attempts. */
async function engineRun(world: World, name: string, posts: number, overMs: number): Promise<Attempt[]> {
  const { app, owner, picture } = world;
  // Writing the files of thousands of posts takes time, and no post may be due before all are inserted.
  const first = app.clock.now() + LEAD_MS + 10 * posts;
  const slot = (n: number) => first + Math.floor((n * overMs) / posts);
  await addDuePosts(app, owner, { posts, slot, videoEvery: VIDEO_EVERY, picture, name });
  if (app.clock.now() >= first) throw new Error('posts became due before all of them were inserted');
  return allPublished(app, owner, [first, first + overMs], posts);
}

const shareOf = ({ ours, bare }: { ours: number[]; bare: number[] }): Share => ({
  share: median(ours) / median(bare),
  ours: median(ours),
  bare: median(bare),
});

/** Posts per second, from the start of the first attempt until the last post has reached `until`. */
function rateOf(attempts: readonly Attempt[], until: 'accepted_at' | 'finished_at'): number {
  const from = Math.min(...attempts.map(({ started_at }) => started_at));
  const to = Math.max(...attempts.map((attempt) => attempt[until] ?? Number.NaN));
  return attempts.length / ((to - from) / 1000);
}

function bareRun(world: World, name: string, posts: number): Promise<BareResult> {
  const { publish, poll, transfer } = POOL_LIMITS;
  return runBareLoop({
    platformUrl: world.platformUrl,
    pictureUrl: world.pictureUrl,
    video: VIDEO.toString('base64'),
    tokens: world.tokens,
    posts: Array.from({ length: posts }, (_, n) => ({
      title: `bare ${name} ${n}`,
      isVideo: n % VIDEO_EVERY === 0,
      account: n % ACCOUNTS,
    })),
    // The same concurrency that Airdate gives one organization.
    room: {
      publish: publish.perOrganization,
      poll: poll.perOrganization,
      transfer: transfer.perOrganization,
    },
    pauseMs: world.app.config.publishing.reconcileIntervalMs,
  });
}
