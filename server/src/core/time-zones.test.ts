import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { daysIn } from './time-zones.js';

function moved(zone: string, from: string, days: number): string {
  const shift = daysIn(zone);
  assert.ok(shift, `${zone} is unknown`);
  return new Date(shift(Date.parse(from), days)).toISOString();
}

describe('Moving a time by days', () => {
  it('adds 24 hours for each in UTC, and keeps milliseconds', () => {
    assert.equal(moved('UTC', '2026-03-28T18:00:00.123Z', 1), '2026-03-29T18:00:00.123Z');
    assert.equal(moved('UTC', '2026-03-01T00:00:00.000Z', -1), '2026-02-28T00:00:00.000Z');
    assert.equal(moved('UTC', '2027-01-01T12:00:00.999Z', 365), '2028-01-01T12:00:00.999Z');
  });

  it('keeps the local hour over a change of summer time, both ways', () => {
    // Berlin: clocks go forward on 29 March 2026, and back on 25 October.
    assert.equal(moved('Europe/Berlin', '2026-03-28T17:00:00Z', 1), '2026-03-29T16:00:00.000Z');
    assert.equal(moved('Europe/Berlin', '2026-03-29T16:00:00Z', -1), '2026-03-28T17:00:00.000Z');
    assert.equal(moved('Europe/Berlin', '2026-10-24T16:00:00Z', 7), '2026-10-31T17:00:00.000Z');
    assert.equal(moved('America/New_York', '2026-03-07T23:00:00Z', 1), '2026-03-08T22:00:00.000Z');
    assert.equal(moved('Australia/Lord_Howe', '2026-04-03T22:00:00Z', 1), '2026-04-04T22:30:00.000Z');
  });

  it('moves a local time that does not exist forward, and takes the first of one that occurs twice', () => {
    // 2:30 in Berlin: 29 March has none, 25 October has two.
    assert.equal(moved('Europe/Berlin', '2026-03-28T01:30:00Z', 1), '2026-03-29T01:30:00.000Z');
    assert.equal(moved('Europe/Berlin', '2026-10-24T00:30:00Z', 1), '2026-10-25T00:30:00.000Z');
    assert.equal(moved('Europe/Berlin', '2026-10-26T01:30:00Z', -1), '2026-10-25T00:30:00.000Z');
  });

  it('goes over zones with odd offsets and a day that was left out', () => {
    assert.equal(moved('Asia/Kathmandu', '2026-05-01T18:15:00Z', 30), '2026-05-31T18:15:00.000Z');
    // Samoa had no 30 December 2011.
    assert.equal(moved('Pacific/Apia', '2011-12-29T22:00:00Z', 1), '2011-12-30T22:00:00.000Z');
    assert.equal(moved('Pacific/Apia', '2011-12-29T22:00:00Z', 2), '2011-12-30T22:00:00.000Z');
  });

  it('takes names of the time zone database only', () => {
    for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
      assert.ok(daysIn(name), name);
    for (const name of ['', 'Berlin', '+01:00', '-05', 'Europe/Berlin ', 'Europe/Atlantis', 'x'.repeat(65)])
      assert.equal(daysIn(name), null, name);
  });
});
