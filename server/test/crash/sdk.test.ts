// The service is killed during a call of a publish story told by the SDK. Whatever the moment: the story ends, there is one post with
// its file, nothing is published twice, and the outcome is what the platform knows, or honestly unknown.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Airdate } from '@airdate/sdk';
import { Line, type Passed } from '../support/network/cuttable-connection.js';
import { CLIENT, usePlatform } from '../support/platform/test-platform.js';
import { everyday } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, consent, TEST_KEY } from '../support/service/harness.js';
import { send } from '../support/service/send.js';
import { ROOT } from '../support/sources/sdk-sources.js';
import { KillableService } from './processes/killable-service.js';

/** Before the service has the request; when it has it; when the platform fetches a slide; when it has answered, and its answer is lost. */
const MOMENTS = ['before', 'during', 'fetch', 'after'] as const;
type Moment = (typeof MOMENTS)[number];

/** The calls of the story, by what they ask for. */
const CALLS = ['create', 'grant', 'put', 'complete', 'publish', 'dispatches', 'publish-status'] as const;
type Call = (typeof CALLS)[number];

interface Kill {
  call: Call;
  moment: Moment;
}

const EVERY_KILL: Kill[] = CALLS.flatMap((call) =>
  MOMENTS.filter((moment) => moment !== 'fetch' || call === 'publish').map((moment) => ({ call, moment })),
);

const FILES = { slides: 'slide.png', video: 'tiny.mp4' };

/** Each kill costs a start of the service. */
const KILLS: Record<keyof typeof FILES, readonly Kill[]> = {
  slides: everyday(
    [
      { call: 'create', moment: 'after' },
      { call: 'publish', moment: 'fetch' },
    ],
    EVERY_KILL,
  ),
  // Its bytes are sent to the platform, which fetches nothing.
  video: everyday(
    [],
    EVERY_KILL.filter(({ moment }) => moment !== 'fetch'),
  ),
};

for (const type of ['slides', 'video'] as const) {
  const kills = KILLS[type];
  if (kills.length > 0)
    describe(`The story of ${type}, told by the SDK`, () => {
      const platform = usePlatform();
      const line = new Line();
      const dir = mkdtempSync(join(tmpdir(), 'airdate-story-'));
      let service: KillableService;
      let airdate: Airdate;
      let accountId: string;

      before(async () => {
        await line.start();
        service = new KillableService({
          DATA_DIR: dir,
          ADMIN_TOKEN,
          ENCRYPTION_KEY: TEST_KEY,
          DEMO: 'off',
          PUBLIC_URL: line.url,
          SOCIAL_API_URL: platform.url,
          SOCIAL_AUTH_URL: `${platform.url}/v2/auth/authorize/`,
          SOCIAL_CLIENT_KEY: CLIENT.client_key,
          SOCIAL_CLIENT_SECRET: CLIENT.client_secret,
          SOCIAL_INITS_PER_MINUTE: '0',
          SOCIAL_POSTS_PER_DAY: '0',
          PUBLISH_LEASE_SECONDS: '2',
          RECONCILE_INTERVAL_MS: '200',
          PLATFORM_TIMEOUT_MS: '3000',
        });
        line.decide = passOn;
        const operator = new Airdate({ url: line.url, apiKey: ADMIN_TOKEN });
        const { id } = await operator.admin.createOrganization({ name: 'Story', plan: 'growth' });
        const { key } = await operator.admin.createKey(id, { name: 'Story' });
        airdate = new Airdate({ url: line.url, apiKey: key, maxRetries: 6 });
        const { authorize_url } = await airdate.accounts.connect();
        await send('GET', await consent(authorize_url, { decision: 'allow', username: 'storyteller' }), {});
        accountId = (await airdate.accounts.list()).data[0]?.id ?? assert.fail('no account');
      });
      after(async () => {
        await service?.stop();
        await line.stop();
        rmSync(dir, { recursive: true, force: true });
      });

      /** Requests wait while the service starts again. */
      const passOn = async () => {
        line.target = (await service.current()).url;
        return 'pass' as const;
      };

      /** Kills the service once, at this moment of this call. Returns whether it has come. */
      function plan({ call, moment }: Kill): () => boolean {
        let isDone = false;
        let isCalled = false;
        const strike = async () => {
          isDone = true;
          await service.kill();
        };
        const isTheCall = (request: Passed) => callOf(request) === call;
        line.decide = async (request) => {
          const fate = await passOn();
          if (isDone) return fate;
          isCalled ||= isTheCall(request);
          const isMoment =
            moment === 'fetch' ? isCalled && request.path.startsWith('/media/') : isTheCall(request);
          if (!isMoment || moment === 'after') return fate;
          if (moment === 'during') {
            isDone = true;
            // As soon as the service can have it.
            setTimeout(() => void service.kill(), 2);
            return fate;
          }
          await strike();
          return 'cut';
        };
        line.onAnswer = async (request) => {
          if (moment === 'after' && !isDone && isTheCall(request)) await strike();
        };
        return () => isDone;
      }

      async function tell(title: string) {
        const post = await airdate.posts.create({ title, caption: title, post_type: type });
        await airdate.posts.upload(post.id, join(ROOT, 'server/test/media', FILES[type]));
        const outcome = await airdate.posts.publishAndWait(post.id, {
          social_account_id: accountId,
          privacy_level: 'PUBLIC_TO_EVERYONE',
        });
        return { post, outcome };
      }

      const publishesOf = async (title: string): Promise<{ status: string }[]> =>
        (await platform.publishes()).filter(({ request }: { request: { post_info: { title: string } } }) =>
          JSON.stringify(request).includes(title),
        );

      kills.forEach((kill, n) => {
        it(`ends honestly if the service is killed ${kill.moment} "${kill.call}"`, async () => {
          const title = `Story ${type} ${n} of maps`;
          const isDone = plan(kill);
          const { post, outcome } = await tell(title);
          line.clear();
          line.decide = passOn;
          assert.ok(isDone(), 'the moment has come');
          const { data: posts } = await airdate.posts.list({ q: title });
          assert.deepEqual(
            posts.map(({ id }) => id),
            [post.id],
            'the post exists once',
          );
          const { data, pending } = await airdate.posts.assets.list(post.id);
          assert.deepEqual([data.length, pending.length], [1, 0], 'its file exists once');
          const found = await publishesOf(title);
          const told = `${outcome.status}; the platform has ${JSON.stringify(found.map(({ status }) => status))}`;
          // An attempt whose slides were withdrawn before any was fetched has failed there, and was repeated.
          const visible = found.filter(({ status }) => status !== 'FAILED');
          assert.ok(visible.length <= 1, `published twice: ${told}`);
          assert.ok(['published', 'unknown'].includes(outcome.status), told);
          if (outcome.status === 'published') assert.equal(visible[0]?.status, 'PUBLISH_COMPLETE', told);
          const { status } = await airdate.posts.get(post.id);
          assert.equal(status, outcome.status === 'published' ? 'posted' : 'publishing', told);
        });
      });
    });
}

function callOf({ method, path }: Passed): Call | undefined {
  const [place = ''] = path.split('?');
  if (method === 'PUT') return 'put';
  if (method === 'POST' && place === '/api/v1/posts') return 'create';
  if (method === 'POST' && place.endsWith('/assets')) return 'grant';
  return CALLS.find((call) => place.endsWith(`/${call}`));
}
