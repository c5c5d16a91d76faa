import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownTimeOn, timeOn } from './range.js';

const LEAD = 5 * 60_000;
const at = (hour: number, minute = 0) => new Date(2026, 10, 16, hour, minute).getTime();
const on = (now: number, day = 16) => {
  const time = timeOn(new Date(2026, 10, day), LEAD, now);
  return [time.getDate(), time.getHours(), time.getMinutes()];
};

describe('the suggested time of a day', () => {
  it('is noon while that is ahead', () => {
    assert.deepEqual(on(at(9)), [16, 12, 0]);
    assert.deepEqual(on(at(23), 17), [17, 12, 0]);
  });

  it('is the next full hour of today after that, and its last minute late in the evening', () => {
    assert.deepEqual(on(at(13, 10)), [16, 14, 0]);
    assert.deepEqual(on(at(13, 57)), [16, 15, 0]);
    assert.deepEqual(on(at(23, 30)), [16, 23, 59]);
  });

  it('is noon of a past day too, which is then refused', () => assert.deepEqual(on(at(9), 15), [15, 12, 0]));

  it('has the hour of the draft, while that is ahead', () => {
    const own = new Date(2026, 10, 3, 18, 30).toISOString();
    const onDay = (day: number, now: number, time: string | null = own) =>
      ownTimeOn(new Date(2026, 10, day), time, LEAD, now);
    assert.deepEqual(onDay(17, at(9)), new Date(2026, 10, 17, 18, 30));
    assert.deepEqual(onDay(16, at(18, 26)), new Date(2026, 10, 16, 19));
    assert.deepEqual(onDay(17, at(9), null), new Date(2026, 10, 17, 12));
  });
});
