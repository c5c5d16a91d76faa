import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answered, createPlaces, PER_ENDPOINT, QUICK_MS } from './places.js';

const QUICK = { isAccepted: true, ms: 20 };
const SLOW = { isAccepted: true, ms: 12 * QUICK_MS };
const REFUSED = { isAccepted: false, ms: 20 };

const endpoint = (org: string, n = 1) => ({ org_id: org, id: `${org} ${n}` });

function places(perHalf: number) {
  const all = createPlaces({ onRoom() {}, onError: (error) => assert.fail(String(error)) }, perHalf);
  let ids = 0;
  return {
    ...all,
    /** It has answered so, each time. */
    async hasAnswered(to: ReturnType<typeof endpoint>, ...answers: Answered[]) {
      for (const answer of answers) {
        all.start(to, `${++ids}`, async () => answer);
        await new Promise(setImmediate);
      }
    },
    /** Requests that begin and do not end, as many as there is room for. */
    fill(to: ReturnType<typeof endpoint>): number {
      let begun = 0;
      for (; all.roomFor(to) > 0; begun++) all.start(to, `${++ids}`, () => new Promise(() => {}));
      return begun;
    },
  };
}

describe('Places for requests to endpoints', () => {
  it('are one for an endpoint that has accepted nothing, or no longer does, and four for one that does', async () => {
    const own = places(64);
    const [fresh, well, failing] = [endpoint('fresh'), endpoint('well'), endpoint('failing')];
    await own.hasAnswered(well, QUICK);
    await own.hasAnswered(failing, QUICK, REFUSED);
    assert.deepEqual([fresh, well, failing].map(own.fill), [1, PER_ENDPOINT, 1]);
  });

  it('of one organization are at most half, and leave each further one a share', async () => {
    const own = places(64);
    const orgs = ['a', 'b', 'c', 'd'];
    const endpointsOf = (org: string) => Array.from({ length: 20 }, (_, n) => endpoint(org, n));
    for (const org of orgs) for (const each of endpointsOf(org)) await own.hasAnswered(each, QUICK);
    const taken = orgs.map((org) => endpointsOf(org).reduce((sum, each) => sum + own.fill(each), 0));
    assert.deepEqual(taken, [32, 16, 8, 4]);
    const last = endpoint('e');
    await own.hasAnswered(last, QUICK);
    assert.ok(own.roomFor(last) > 0);
    assert.equal(own.areFull(), false);
  });

  it('of slow endpoints are none of those for quick ones, however many organizations they belong to', async () => {
    const own = places(8);
    const quick = endpoint('quick');
    await own.hasAnswered(quick, QUICK);
    for (let n = 0; n < 100; n++) await own.hasAnswered(endpoint(`slow ${n}`), QUICK, SLOW);
    let begun = 0;
    for (let n = 0; n < 100; n++) begun += own.fill(endpoint(`slow ${n}`));
    assert.equal(begun, 8);
    assert.equal(own.roomFor(endpoint('fresh')), 0);
    assert.equal(own.fill(quick), PER_ENDPOINT);
  });

  it('are those for quick endpoints again once an endpoint has become quick', async () => {
    const own = places(4);
    const [better, still] = [endpoint('better'), endpoint('still slow')];
    await own.hasAnswered(still, SLOW);
    await own.hasAnswered(better, SLOW, ...Array(5).fill(QUICK));
    // All places for slow ones are taken.
    for (let n = 0; n < 10; n++) own.fill(endpoint(`hangs ${n}`));
    assert.equal(own.roomFor(still), 0);
    assert.ok(own.roomFor(better) > 0);
  });

  it('go first to organizations with the fewest, and there to the endpoint that took least', async () => {
    const own = places(64);
    const [busy, slow, quick, fresh] = [endpoint('a'), endpoint('b', 1), endpoint('b', 2), endpoint('b', 3)];
    await own.hasAnswered(busy, QUICK);
    await own.hasAnswered(slow, SLOW);
    await own.hasAnswered(quick, QUICK);
    own.fill(busy);
    assert.deepEqual(own.inOrder([busy, fresh, slow, quick]), [quick, slow, fresh, busy]);
  });
});
