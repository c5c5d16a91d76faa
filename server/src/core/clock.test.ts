import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseTimestamp, systemClock, toTimestamp } from './clock.js';

describe('timestamps out', () => {
  it('are always YYYY-MM-DDTHH:MM:SSZ: whole seconds, UTC', () => {
    assert.equal(toTimestamp(Date.UTC(2026, 10, 15, 9, 30, 0)), '2026-11-15T09:30:00Z');
    assert.equal(toTimestamp(Date.UTC(2026, 10, 15, 9, 30, 59, 999)), '2026-11-15T09:30:59Z');
    assert.equal(toTimestamp(0), '1970-01-01T00:00:00Z');
  });

  it('are read back as the same second', () => {
    const anyMoment = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) });
    fc.assert(
      fc.property(anyMoment, (ms) => {
        assert.equal(parseTimestamp(toTimestamp(ms)), ms - (ms % 1000));
      }),
    );
  });
});

describe('timestamps in', () => {
  const noon = Date.UTC(2026, 11, 1, 12, 0, 0);

  it('take any ISO 8601 date-time with an offset', () => {
    const spellings = [
      '2026-12-01T12:00:00Z',
      '2026-12-01t12:00:00z',
      '2026-12-01T12:00Z',
      '2026-12-01T12:00:00.000Z',
      '2026-12-01T12:00:00,0Z',
      '2026-12-01T14:00:00+02:00',
      '2026-12-01T14:00:00+0200',
      '2026-12-01T14:00:00+02',
      '2026-12-01T06:30:00-05:30',
      '2026-12-02T00:00:00+12:00',
      '2026-11-30T23:00:00-13:00',
      '2026-12-01T12:00:00+00:00',
    ];
    for (const text of spellings) assert.equal(parseTimestamp(text), noon, text);
  });

  it('keep milliseconds and drop what is finer', () => {
    assert.equal(parseTimestamp('2026-12-01T12:00:00.5Z'), noon + 500);
    assert.equal(parseTimestamp('2026-12-01T12:00:00.123Z'), noon + 123);
    assert.equal(parseTimestamp('2026-12-01T12:00:00.123999999Z'), noon + 123);
  });

  it('mean the same moment whatever the offset', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(1971, 0), max: Date.UTC(9998, 0) }),
        fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
        (ms, offset) => {
          const local = new Date(ms + offset * 60_000).toISOString().slice(0, 23);
          const two = (n: number) => String(n).padStart(2, '0');
          const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
          const text = `${local}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
          assert.equal(parseTimestamp(text), ms, text);
        },
      ),
    );
  });

  it('refuse a time without an offset, which is ambiguous', () => {
    for (const text of ['2026-12-01T12:00:00', '2026-12-01', '2026-12-01 12:00', '12:00Z'])
      assert.equal(parseTimestamp(text), null, text);
  });

  it('refuse days and times that do not exist', () => {
    const wrong = [
      '2026-02-29T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-00-10T00:00:00Z',
      '2026-12-00T00:00:00Z',
      '2026-12-01T25:00:00Z',
      '2026-12-01T12:60:00Z',
      '2026-12-01T12:00:61Z',
      '2026-12-01T12:00:00+24:00',
      '2026-12-01T12:00:00+02:60',
    ];
    for (const text of wrong) assert.equal(parseTimestamp(text), null, text);
    assert.notEqual(parseTimestamp('2028-02-29T00:00:00Z'), null, 'a leap day exists');
    assert.equal(parseTimestamp('2100-02-29T00:00:00Z'), null, '2100 is no leap year');
  });

  it('refuse other forms that lenient parsers take', () => {
    const wrong = [
      '',
      'tomorrow',
      '1764590400',
      'Tue, 01 Dec 2026 12:00:00 GMT',
      '12/01/2026 12:00 Z',
      '2026-12-01 12:00:00Z',
      ' 2026-12-01T12:00:00Z',
      '2026-12-01T12:00:00Z\n',
      '2026-12-01T12:00:00 Z',
      '2026-12-01T12:00:00UTC',
      '26-12-01T12:00:00Z',
      '+002026-12-01T12:00:00Z',
      '2026-12-01T12:00:00.Z',
      '٢٠٢٦-12-01T12:00:00Z',
    ];
    for (const text of wrong) assert.equal(parseTimestamp(text), null, JSON.stringify(text));
  });

  it('refuse moments that four-digit years cannot say', () => {
    assert.equal(parseTimestamp('9999-12-31T23:59:59-01:00'), null);
    assert.equal(parseTimestamp('0000-01-01T00:00:00+01:00'), null);
    assert.equal(toTimestamp(parseTimestamp('9999-12-31T23:59:59Z') as number), '9999-12-31T23:59:59Z');
    assert.equal(toTimestamp(parseTimestamp('0001-01-01T00:00:00Z') as number), '0001-01-01T00:00:00Z');
  });
});

describe('the system clock', () => {
  it('tells the time of the host', (t) => {
    t.mock.method(Date, 'now', () => 1_234_567);
    assert.equal(systemClock.now(), 1_234_567);
  });
});
