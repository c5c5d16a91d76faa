// An organization with a month of history: posts that the platform of the running service really published, one day after
// the other, some of which failed. For screenshots of the product and for tests that need many posts.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Organization, TestService } from '../service/harness.js';
import { complete, grant, put, upload } from '../service/uploads.js';
import { scenery } from './sample-images.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

interface Piece {
  title: string;
  caption: string;
  hashtags: string;
  slides: number;
}

const TITLES = [
  'Five ways to fold a map',
  'First light on the ridge',
  'What contour lines tell you',
  'One pot, one spoon, one hour',
  'The harbour before six',
  'Rain gear, tested in real rain',
  'A valley nobody tags',
  'Packing for one night',
  'How to read the clouds',
  'Boots after 800 kilometres',
  'North without a compass',
  'Stove test: alcohol or gas',
  'Huts worth the climb',
  'Camp kitchen, small version',
  'The knot everyone gets wrong',
  'Cold water, warm feet',
  'Snacks that survive a week',
  'Blisters: before and after',
  'Three days along the coast',
  'Dawn in the old town',
];

/** The n-th post. */
const piece = (n: number): Piece => ({
  title: TITLES[n % TITLES.length] as string,
  caption: `${TITLES[n % TITLES.length]}. Field notes, with the mistakes left in. Save it for the weekend.`,
  hashtags: '#outdoors #hiking #fieldnotes',
  slides: 1 + (n % 4),
});

export interface DemoContent {
  accountId: string;
  drafts: string[];
  scheduled: string[];
  posted: string[];
  failed: string[];
}

/** The service must have its worker, SANDBOX_CONTROL=on and SANDBOX_PROCESSING_MS=0. Its clock is right at the end. */
export async function fillWithContent(
  service: TestService,
  org: Organization,
  days = 21,
): Promise<DemoContent> {
  const content: DemoContent = { accountId: '', drafts: [], scheduled: [], posted: [], failed: [] };
  service.clock.advance(-days * DAY_MS);
  content.accountId = await org.connectAccount('field.notes');
  let n = 0;
  for (let day = days; day > 0; day--) {
    const isQuiet = day % 7 === 3;
    for (let i = 0; i < (isQuiet ? 0 : 1 + (day % 2)); i++) {
      const isFailure = n % 9 === 5;
      const id = await write(org, n++, content.accountId);
      await goesOut(service, org, id, content.accountId, isFailure);
      (isFailure ? content.failed : content.posted).push(id);
    }
    service.clock.advance(DAY_MS - (service.clock.now() % DAY_MS) + 8 * HOUR_MS);
  }
  service.clock.resume();
  for (let i = 0; i < 6; i++) {
    const id = await write(org, n++, content.accountId);
    await schedule(org, id, content.accountId, service.clock.now() + 2.2 * HOUR_MS + i * 17 * HOUR_MS);
    content.scheduled.push(id);
  }
  for (let i = 0; i < 4; i++) content.drafts.push(await write(org, n++, content.accountId));
  return content;
}

async function write(org: Organization, n: number, accountId: string): Promise<string> {
  const { slides, ...words } = piece(n);
  // Not among the newest: the only video in the repository is a test pattern.
  const isVideo = n % 13 === 0;
  const post_type = isVideo ? 'video' : 'slides';
  const id = await org.addPost({ ...words, post_type, social_account_id: accountId });
  if (isVideo) {
    const { object_key } = await upload(org, id, 'tiny.mp4');
    await complete(org, id, object_key);
  } else for (let slide = 0; slide < slides; slide++) await addSlide(org, id, n, slide);
  return id;
}

async function addSlide(org: Organization, id: string, series: number, n: number): Promise<void> {
  const { upload_url, object_key } = await grant(org, id, { filename: `slide-${n + 1}.jpg` });
  const answer = await put(upload_url, new Uint8Array(await scenery(series, n)), 'image/jpeg');
  assert.equal(answer.status, 200, answer.text);
  await complete(org, id, object_key);
}

async function schedule(org: Organization, id: string, accountId: string, at: number): Promise<void> {
  const answer = await org.call('PATCH', `/api/v1/posts/${id}`, {
    status: 'scheduled',
    // On the quarter of an hour, as people schedule.
    scheduled_at: new Date(Math.ceil(at / 900_000) * 900_000).toISOString(),
    social_account_id: accountId,
    privacy_level: 'PUBLIC_TO_EVERYONE',
  });
  assert.equal(answer.status, 200, answer.text);
}

async function goesOut(
  service: TestService,
  org: Organization,
  id: string,
  accountId: string,
  isFailure: boolean,
): Promise<void> {
  await schedule(org, id, accountId, service.clock.now() + 0.2 * HOUR_MS);
  if (isFailure) {
    const body = { status: 'FAILED', fail_reason: 'picture_size_check_failed' };
    const answer = await service.request('POST', '/sandbox/__control/outcomes', { body });
    assert.equal(answer.status, 200, answer.text);
  }
  const slot = Date.parse((await postOf(org, id)).scheduled_at);
  service.clock.advance(slot - service.clock.now());
  for (;;) {
    const [latest] = (await org.call('GET', `/api/v1/posts/${id}/dispatches`)).json.data;
    if (['published', 'failed'].includes(latest?.outcome)) return;
    // Between two checks the service polls the platform by its own clock.
    service.clock.advance(200);
    await delay(50);
  }
}

const postOf = async (org: Organization, id: string) =>
  (await org.call('GET', `/api/v1/posts/${id}`)).json.data;
