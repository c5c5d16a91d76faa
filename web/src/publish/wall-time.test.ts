import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meaningOf, offsetName, wallOf } from './wall-time.js';

const BERLIN = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);

describe('a wall time', () => {
  it('means one moment on ordinary days, in summer and in winter', () => {
    assert.deepEqual(meaningOf('2026-07-01T18:00', BERLIN), { kind: 'once', at: at('2026-07-01T16:00Z') });
    assert.deepEqual(meaningOf('2026-12-01T18:00', BERLIN), { kind: 'once', at: at('2026-12-01T17:00Z') });
    assert.deepEqual(meaningOf('2026-12-01T18:00', 'UTC'), { kind: 'once', at: at('2026-12-01T18:00Z') });
    assert.deepEqual(meaningOf('2026-12-01T18:00', 'Asia/Kolkata'), {
      kind: 'once',
      at: at('2026-12-01T12:30Z'),
    });
  });

  it('that does not exist is moved by as much as the clocks jump, and says where to', () => {
    assert.deepEqual(meaningOf('2026-03-29T02:30', BERLIN), {
      kind: 'never',
      at: at('2026-03-29T01:30Z'),
      wall: '2026-03-29T03:30',
    });
    assert.deepEqual(meaningOf('2026-03-08T02:00', 'America/New_York'), {
      kind: 'never',
      at: at('2026-03-08T07:00Z'),
      wall: '2026-03-08T03:00',
    });
    // Half an hour only, on Lord Howe Island.
    assert.deepEqual(meaningOf('2026-10-04T02:15', 'Australia/Lord_Howe'), {
      kind: 'never',
      at: at('2026-10-03T15:45Z'),
      wall: '2026-10-04T02:45',
    });
  });

  it('that comes twice offers both', () => {
    assert.deepEqual(meaningOf('2026-10-25T02:30', BERLIN), {
      kind: 'twice',
      at: at('2026-10-25T00:30Z'),
      again: at('2026-10-25T01:30Z'),
    });
    assert.deepEqual(meaningOf('2026-11-01T01:30', 'America/New_York'), {
      kind: 'twice',
      at: at('2026-11-01T05:30Z'),
      again: at('2026-11-01T06:30Z'),
    });
  });

  it('just beside a change means one moment', () => {
    for (const [wall, moment] of [
      ['2026-03-29T01:59', '2026-03-29T00:59Z'],
      ['2026-03-29T03:00', '2026-03-29T01:00Z'],
      ['2026-10-25T01:59', '2026-10-24T23:59Z'],
      ['2026-10-25T03:00', '2026-10-25T02:00Z'],
    ] as const)
      assert.deepEqual(meaningOf(wall, BERLIN), { kind: 'once', at: at(moment) });
  });

  it('must be one', () => {
    for (const wall of [
      '',
      'soon',
      '2026-02-31T10:00',
      '2026-12-01T25:00',
      '2026-12-01',
      '2026-12-01T18:00Z',
    ])
      assert.equal(meaningOf(wall, BERLIN), null, wall);
  });

  it('and back, every quarter of an hour over both changes of a year', () => {
    for (const zone of [BERLIN, 'America/St_Johns', 'Australia/Lord_Howe', 'Africa/Casablanca', 'UTC'])
      for (const start of [
        '2026-02-08T00:00Z',
        '2026-03-28T00:00Z',
        '2026-10-03T00:00Z',
        '2026-10-24T00:00Z',
      ])
        for (let ms = at(start); ms < at(start) + 60 * 3_600_000; ms += 900_000) {
          const meaning = meaningOf(wallOf(ms, zone), zone);
          const moments = meaning?.kind === 'twice' ? [meaning.at, meaning.again] : [meaning?.at];
          assert.ok(moments.includes(ms), `${zone} ${new Date(ms).toISOString()}`);
        }
  });
});

describe('the name of an offset', () => {
  it('is what people know it by', () => {
    assert.equal(offsetName(at('2026-07-01T00:00Z'), BERLIN), 'UTC+2');
    assert.equal(offsetName(at('2026-12-01T00:00Z'), 'America/St_Johns'), 'UTC−3:30');
    assert.equal(offsetName(0, 'UTC'), 'UTC');
  });
});
