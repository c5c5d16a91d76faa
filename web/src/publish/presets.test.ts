import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { presetsOf } from './presets.js';

const walls = (now: string, zone = 'Europe/Berlin') =>
  presetsOf(Date.parse(now), zone, '24h').map(({ wall }) => wall);

describe('the times to choose from', () => {
  it('are in an hour, tomorrow and next Monday, in the local time', () => {
    // A Monday afternoon in Berlin.
    assert.deepEqual(walls('2026-11-16T13:07:20Z'), [
      '2026-11-16T15:10',
      '2026-11-17T09:00',
      '2026-11-23T09:00',
    ]);
    assert.deepEqual(walls('2026-11-22T23:30:00Z'), [
      '2026-11-23T01:30',
      '2026-11-24T09:00',
      '2026-11-30T09:00',
    ]);
    // There it is still Sunday.
    assert.deepEqual(walls('2026-11-22T23:30:00Z', 'America/New_York').slice(1), [
      '2026-11-23T09:00',
      '2026-11-23T09:00',
    ]);
  });

  it('keep their hour when the clocks change', () => {
    const [, tomorrow] = presetsOf(Date.parse('2026-03-28T12:00:00Z'), 'Europe/Berlin', '24h');
    assert.equal(tomorrow?.at, Date.parse('2026-03-29T07:00:00Z'));
  });

  it('mean the hour that is ahead when it comes twice', () => {
    // 02:10 in Berlin, the first time: in an hour it is 02:10 again.
    const [soon] = presetsOf(Date.parse('2026-10-25T00:10:00Z'), 'Europe/Berlin', '24h');
    assert.deepEqual([soon?.wall, soon?.isSecondOccurrence], ['2026-10-25T02:10', true]);
    const [later] = presetsOf(Date.parse('2026-10-24T23:10:00Z'), 'Europe/Berlin', '24h');
    assert.deepEqual([later?.wall, later?.isSecondOccurrence], ['2026-10-25T02:10', false]);
  });

  it('are named on the clock that the person prefers', () => {
    const names = presetsOf(0, 'UTC', '12h').map(({ name }) => name);
    assert.deepEqual(names, ['In an hour', 'Tomorrow 9:00 am', 'Next Monday 9:00 am']);
    assert.equal(presetsOf(0, 'UTC', '24h')[1]?.name, 'Tomorrow 09:00');
  });
});
