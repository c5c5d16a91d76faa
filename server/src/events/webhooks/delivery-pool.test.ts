import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Answered,
  createDeliveryPool,
  EndpointSpeeds,
  QUICK_MS,
  REQUESTS_PER_ENDPOINT,
} from './delivery-pool.js';

const QUICK = { isAccepted: true, ms: 20 };
const SLOW = { isAccepted: true, ms: 12 * QUICK_MS };
const REFUSED = { isAccepted: false, ms: 20 };

const endpoint = (org: string, n = 1) => ({ org_id: org, id: `${org} ${n}` });

function poolOf(perHalf: number) {
  const speeds = new EndpointSpeeds();
  const events = { onSuccess() {}, onError: (error: unknown) => assert.fail(String(error)) };
  const pool = createDeliveryPool(events, speeds, perHalf);
  let ids = 0;
  return {
    ...pool,
    /** It has answered like this, each time. */
    hasAnswered(to: ReturnType<typeof endpoint>, ...answers: Answered[]) {
      for (const answer of answers) speeds.record(to.id, answer);
    },
    /** Requests that begin and do not end, as many as there is capacity for. */
    fill(to: ReturnType<typeof endpoint>): number {
      let begun = 0;
      for (; pool.capacityFor(to) > 0; begun++) {
        const delivery = { id: `${++ids}`, org_id: to.org_id, target: to.id };
        assert.ok(pool.start(delivery, () => new Promise(() => {})));
      }
      return begun;
    },
  };
}

describe('The capacity for requests to endpoints', () => {
  it('is one for an endpoint that has accepted nothing, or no longer does, and four for one that does', () => {
    const own = poolOf(64);
    const [fresh, well, failing] = [endpoint('fresh'), endpoint('well'), endpoint('failing')];
    own.hasAnswered(well, QUICK);
    own.hasAnswered(failing, QUICK, REFUSED);
    assert.deepEqual([fresh, well, failing].map(own.fill), [1, REQUESTS_PER_ENDPOINT, 1]);
  });

  it('of one organization is at most half, and leave each further one a share', () => {
    const own = poolOf(64);
    const orgs = ['a', 'b', 'c', 'd'];
    const endpointsOf = (org: string) => Array.from({ length: 20 }, (_, n) => endpoint(org, n));
    for (const org of orgs) for (const each of endpointsOf(org)) own.hasAnswered(each, QUICK);
    const taken = orgs.map((org) => endpointsOf(org).reduce((sum, each) => sum + own.fill(each), 0));
    assert.deepEqual(taken, [32, 16, 8, 4]);
    const last = endpoint('e');
    own.hasAnswered(last, QUICK);
    assert.ok(own.capacityFor(last) > 0);
    assert.equal(own.isFull(), false);
  });

  it('of slow endpoints is none of that for quick ones, however many organizations they belong to', () => {
    const own = poolOf(8);
    const quick = endpoint('quick');
    own.hasAnswered(quick, QUICK);
    for (let n = 0; n < 100; n++) own.hasAnswered(endpoint(`slow ${n}`), QUICK, SLOW);
    let begun = 0;
    for (let n = 0; n < 100; n++) begun += own.fill(endpoint(`slow ${n}`));
    assert.equal(begun, 8);
    assert.equal(own.capacityFor(endpoint('fresh')), 0);
    assert.equal(own.fill(quick), REQUESTS_PER_ENDPOINT);
  });

  it('is that for quick endpoints again once an endpoint has become quick', () => {
    const own = poolOf(4);
    const [better, still] = [endpoint('better'), endpoint('still slow')];
    own.hasAnswered(still, SLOW);
    own.hasAnswered(better, SLOW, ...Array(5).fill(QUICK));
    // All capacity for slow ones is taken.
    for (let n = 0; n < 10; n++) own.fill(endpoint(`hangs ${n}`));
    assert.equal(own.capacityFor(still), 0);
    assert.ok(own.capacityFor(better) > 0);
  });

  it('goes first to organizations with the fewest, and there to the endpoint that took least', () => {
    const own = poolOf(64);
    const [busy, slow, quick, fresh] = [endpoint('a'), endpoint('b', 1), endpoint('b', 2), endpoint('b', 3)];
    own.hasAnswered(busy, QUICK);
    own.hasAnswered(slow, SLOW);
    own.hasAnswered(quick, QUICK);
    own.fill(busy);
    assert.deepEqual(own.inOrder([busy, fresh, slow, quick]), [quick, slow, fresh, busy]);
  });
});
