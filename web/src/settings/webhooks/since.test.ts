import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayText } from '../../text/month.js';
import { daysAgo, sinceOf } from './since.js';

const NOW = new Date('2026-12-31T12:34:56').getTime();

describe('the day from which missed events are sent', () => {
  it('begins at midnight of the viewer', () => {
    assert.equal(sinceOf('2026-12-30', NOW), new Date('2026-12-30T00:00:00').toISOString());
  });

  it('begins 30 days ago, not earlier, if it is the earliest day', () => {
    const earliest = daysAgo(30, NOW);
    assert.equal(sinceOf(dayText(earliest), NOW), earliest.toISOString());
  });

  it('has two digits for each part', () => {
    assert.equal(dayText(new Date('2026-02-03T04:05:06')), '2026-02-03');
  });
});
