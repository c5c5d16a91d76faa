import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  clock,
  dateAndSeconds,
  dateAndTime,
  dayAndClock,
  duration,
  inFull,
  inUtc,
  relative,
} from './time.js';
import { preferTimeFormat } from './time-format.js';
import { showTime } from './typed-time.js';

process.env.TZ = 'Europe/Berlin';

/** Where they stand depends on the version of Node. */
const withoutCommas = (text: string) => text.replace(/,| at(?= )/g, '');

describe('times as people read them', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const rows: [at: string, said: string][] = [
    ['2026-11-15T12:00:03Z', 'now'],
    ['2026-11-15T12:00:40Z', 'in 40 s'],
    ['2026-11-15T11:59:27Z', 'just now'],
    ['2026-11-15T11:57:00Z', '3 min ago'],
    ['2026-11-15T14:14:00Z', 'in 2 h 14 min'],
    ['2026-11-15T15:00:00Z', 'in 3 h'],
    ['2026-12-01T17:00:00Z', 'Tue 1 Dec 18:00'],
    ['2027-01-05T08:30:00Z', 'Tue 5 Jan 2027 09:30'],
  ];
  for (const [at, said] of rows)
    it(`${at} is "${said}"`, () => assert.equal(withoutCommas(relative(at, now)), said));

  it('a time of another day names the day', () => {
    assert.equal(dayAndClock('2026-11-15T17:00:00Z', now), '18:00');
    assert.equal(dayAndClock('2026-11-16T05:00:00Z', now), 'tomorrow, 06:00');
    assert.equal(dayAndClock('2026-11-14T05:00:00Z', now), 'yesterday, 06:00');
    assert.match(dayAndClock('2026-11-17T05:00:00Z', now), /Tue 17 Nov.* 06:00/);
  });

  it('a duration has at most two parts', () => {
    assert.equal(duration(59_400), '59 s');
    assert.equal(duration(26 * 3_600_000), '1 d 2 h');
    assert.equal(duration(8 * 86_400_000 + 3_600_000), '8 days');
    assert.equal(duration(8 * 86_400_000 + 15 * 3_600_000), '9 days');
    assert.equal(duration(7 * 86_400_000 - 1_000), '6 d 23 h');
  });

  it('UTC names its day only where it is another one', () => {
    assert.equal(inUtc('2026-12-01T17:00:00Z'), '17:00 UTC');
    assert.match(inUtc('2026-12-01T23:30:00Z'), /^1 Dec.* 23:30 UTC$/);
  });

  it('a date has the year when it is another', () =>
    assert.match(dateAndTime('2025-12-01T17:00:00Z', now), /2025/));
});

describe('a clock of twelve hours', () => {
  const at = '2026-12-01T17:05:09Z';
  const plain = (text: string) => withoutCommas(text).replace(/\s+/g, ' ');
  after(() => preferTimeFormat('24h'));

  it('is used for every time as soon as the person prefers it', () => {
    assert.equal(clock(at), '18:05');
    preferTimeFormat('12h');
    assert.equal(plain(clock(at)), '6:05 pm');
    assert.equal(plain(dateAndTime(at, Date.parse(at))), 'Tue 1 Dec 6:05 pm');
    assert.equal(plain(dateAndSeconds(at)), 'Tue 1 Dec 6:05:09 pm');
    assert.equal(plain(inUtc(at)), '5:05 pm UTC');
    assert.match(plain(inFull(at)), /6:05:09 pm Europe\/Berlin \(5:05 pm UTC\)$/);
    assert.equal(plain(clock('2026-12-01T23:00:00Z')), '12:00 am');
    preferTimeFormat('24h');
    assert.equal(clock('2026-12-01T23:00:00Z'), '00:00');
  });

  it('writes what a field shows for the same time', () => {
    for (const format of ['12h', '24h'] as const) {
      preferTimeFormat(format);
      for (const hour of ['00', '09', '12', '18'])
        assert.equal(clock(`2026-12-01T${hour}:05`), showTime(`${hour}:05`, format));
    }
  });
});
