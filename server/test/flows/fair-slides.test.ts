// Slides are converted when the platform fetches them; those of one organization do not wait for those of another.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import type { Organization } from '../support/service/harness.js';
import { assertProblem, publish, readyPost } from '../support/service/posts.js';
import { upload } from '../support/service/uploads.js';
import { useTidyWorld } from '../support/world/world.js';

/** How many slides of all organizations may wait. */
/** Of one organization. */
const MAX_CONCURRENT = 8;
const MAX_QUEUED = 200;

onEngines('sqlite', 'Slides that the platform fetches', (engine) => {
  const world = useTidyWorld(engine);

  /** A post whose init has not been sent: its slides are offered, and the platform does not know them yet. */
  async function offered(slides: number, name = 'slide.png') {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    for (let i = 1; i < slides; i++) await upload(org, id, name);
    const sending = world.scripted.stopBeforeInit();
    const answer = publish(org, id, accountId);
    await sending.reached;
    const { nonce } = await world.dispatchRow(id);
    const pathOf = (n: number) => `/media/${nonce}/${n}.jpg`;
    return {
      org,
      pathOf,
      fetch: (n: number) => world.service.request('GET', pathOf(n)),
      async end() {
        sending.release();
        assert.equal((await answer).status, 200);
      },
    };
  }

  /** Stops every conversion of an organization's slides until it is released: each begins by reading the slide. */
  function stopConversions({ id }: Organization) {
    const { store } = world.service.app;
    const { read } = store;
    const begun: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    store.read = async (key, range) => {
      if (key.includes(id)) {
        begun.push(key);
        await released;
      }
      return read(key, range);
    };
    return {
      begun,
      release,
      end() {
        store.read = read;
        release();
      },
    };
  }

  it('are converted in turn: one does not wait for many of another organization', async () => {
    const many = 6;
    const [busy, other] = [await offered(many), await offered(1)];
    const stopped = stopConversions(busy.org);
    try {
      const answers = Array.from({ length: many }, (_, i) => busy.fetch(i + 1));
      await until('a slide is fetched', async () => stopped.begun.length > 0);
      assert.equal((await other.fetch(1)).status, 200);
      assert.equal(stopped.begun.length, 1, 'one organization has all places');
      stopped.release();
      for (const { status, text } of await Promise.all(answers)) assert.equal(status, 200, text);
    } finally {
      stopped.end();
    }
    await Promise.all([busy.end(), other.end()]);
  });

  it('are refused with 503 while too many wait', async () => {
    // A small one is sent as it is.
    const [busy, other] = [await offered(2, 'small.jpg'), await offered(1)];
    const stopped = stopConversions(busy.org);
    try {
      const answers = Array.from({ length: MAX_CONCURRENT + MAX_QUEUED + 1 }, () => busy.fetch(2));
      const refused = await Promise.race(answers);
      assertProblem(refused, 503, 'busy');
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
      assert.equal((await other.fetch(1)).status, 200);
      stopped.release();
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      assert.deepEqual(statuses.sort(), [...Array(MAX_CONCURRENT + MAX_QUEUED).fill(200), 503]);
    } finally {
      stopped.end();
    }
    await Promise.all([busy.end(), other.end()]);
  });

  it('are not converted for a connection that has closed', async (t) => {
    const post = await offered(2);
    const stopped = stopConversions(post.org);
    const { knownSlides } = world.service.app.state;
    const found = t.mock.method(knownSlides, 'get');
    try {
      const first = post.fetch(1);
      await until('a slide is fetched', async () => stopped.begun.length === 1);
      let theirs: Socket | undefined;
      world.service.server.server.once('connection', (socket: Socket) => {
        theirs = socket;
      });
      const leaving = request(world.service.url + post.pathOf(2), { agent: false }).end();
      leaving.on('error', () => {});
      await until('the second slide is fetched', async () => found.mock.callCount() === 2);
      leaving.destroy();
      await until('the connection is closed', async () => theirs?.destroyed === true);
      stopped.release();
      assert.equal((await first).status, 200);
      assert.equal((await post.fetch(1)).status, 200);
      assert.equal(new Set(stopped.begun).size, 1, 'it was converted all the same');
    } finally {
      stopped.end();
    }
    await post.end();
  });
});
