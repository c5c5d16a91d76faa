import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayText, firstDayOf } from '../text/month.js';
import { dayFrom, freeWeek, rangeOf, step, titleOf } from './range.js';

const text = ({ from, to }: { from: Date; to: Date }) => [dayText(from), dayText(to)];
const day = dayFrom('2026-11-15', 0);

describe('the days of a calendar', () => {
  it('are whole weeks around a month', () => {
    assert.deepEqual(text(rangeOf('month', day, 1)), ['2026-10-26', '2026-12-07']);
    assert.deepEqual(text(rangeOf('month', day, 0)), ['2026-11-01', '2026-12-06']);
  });

  it('are the seven of a week, wherever it begins', () => {
    assert.deepEqual(text(rangeOf('week', day, 1)), ['2026-11-09', '2026-11-16']);
    assert.deepEqual(text(rangeOf('week', day, 0)), ['2026-11-15', '2026-11-22']);
  });

  it('are gone through by steps, also from the last of a month', () => {
    assert.equal(dayText(step('month', dayFrom('2026-01-31', 0), 1)), '2026-02-01');
    assert.equal(dayText(step('week', dayFrom('2026-12-28', 0), 1)), '2027-01-04');
  });

  it('have a first week that is not over', () => {
    const month = rangeOf('month', day, 1);
    assert.equal(freeWeek(month, new Date(2026, 10, 1, 12).getTime()), 0);
    assert.equal(freeWeek(month, new Date(2026, 10, 17, 12).getTime()), 3);
    assert.equal(freeWeek(month, new Date(2026, 8, 1).getTime()), 1);
    assert.equal(freeWeek(month, new Date(2027, 8, 1).getTime()), 1);
  });

  it('have a title', () => {
    assert.equal(titleOf('month', day, rangeOf('month', day, 1)), 'November 2026');
    assert.match(titleOf('week', day, rangeOf('week', day, 1)), /^9\s*–\s*15 Nov 2026$/);
  });

  it('are today’s when the address has none', () => {
    assert.equal(dayText(dayFrom('soon', new Date(2026, 4, 3, 12).getTime())), '2026-05-03');
  });

  it('begin on the day people there begin with', () => {
    assert.equal(firstDayOf('de-DE'), 1);
    assert.equal(firstDayOf('en-US'), 0);
  });
});
