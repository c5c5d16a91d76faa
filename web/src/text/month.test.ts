import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { edgeOfWeek, plusDays, plusMonths, weeksOf } from './month.js';

describe('the days of a month', () => {
  it('stand under their weekdays, in six weeks', () => {
    const [first, ...others] = weeksOf('2026-11-18', 1);
    assert.deepEqual(first, [null, null, null, null, null, null, '2026-11-01']);
    assert.equal(others.length, 5);
    assert.equal(weeksOf('2026-11-18', 0)[0]?.[0], '2026-11-01');
    assert.equal(weeksOf('2026-11-18', 1).flat().filter(Boolean).length, 30);
  });

  it('are counted over the ends of months and years', () => {
    assert.equal(plusDays('2026-12-31', 1), '2027-01-01');
    assert.equal(plusDays('2026-03-01', -1), '2026-02-28');
    assert.equal(plusMonths('2026-01-31', 1), '2026-02-28');
    assert.equal(plusMonths('2026-01-31', -2), '2025-11-30');
    assert.equal(plusMonths('2026-11-18', 12), '2027-11-18');
  });

  it('begin and end a week where the calendar does', () => {
    assert.equal(edgeOfWeek('2026-11-18', 1, false), '2026-11-16');
    assert.equal(edgeOfWeek('2026-11-18', 1, true), '2026-11-22');
    assert.equal(edgeOfWeek('2026-11-18', 0, false), '2026-11-15');
  });
});
