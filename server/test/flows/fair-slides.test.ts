// Slides are converted when the platform fetches them; those of one organization do not wait for those of another.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onOneEngine } from '../harness.js';
import { publish, readyPost } from '../posts.js';
import { until, upload } from '../uploads.js';
import { useTidyWorld } from '../world.js';

onOneEngine('Slides that the platform fetches', (engine) => {
  const world = useTidyWorld(engine);

  /** A post whose init has not been sent: its slides are offered, and the platform does not know them yet. */
  async function offered(slides: number) {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    for (let i = 1; i < slides; i++) await upload(org, id, 'slide.png');
    const sending = world.steered.stopBeforeInit();
    const answer = publish(org, id, accountId);
    await sending.reached;
    const { nonce } = await world.dispatchRow(id);
    return {
      org,
      fetch: (n: number) => world.service.request('GET', `/media/${nonce}/${n}.jpg`),
      async end() {
        sending.release();
        assert.equal((await answer).status, 200);
      },
    };
  }

  it('are converted in turn: one does not wait for many of another organization', async () => {
    const many = 6;
    const [busy, other] = [await offered(many), await offered(1)];
    const { store } = world.service.app;
    const { read } = store;
    const begun: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    store.read = async (key, range) => {
      if (key.includes(busy.org.id)) {
        begun.push(key);
        await released;
      }
      return read(key, range);
    };
    try {
      const answers = Array.from({ length: many }, (_, i) => busy.fetch(i + 1));
      await until(async () => begun.length > 0, 'no slide was fetched');
      assert.equal((await other.fetch(1)).status, 200);
      assert.equal(begun.length, 1, 'one organization has all places');
      release();
      for (const { status, text } of await Promise.all(answers)) assert.equal(status, 200, text);
    } finally {
      store.read = read;
      release();
    }
    await Promise.all([busy.end(), other.end()]);
  });
});
