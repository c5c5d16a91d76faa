import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTime, showTime, stepTime } from './typed-time.js';

describe('a typed time', () => {
  const rows: [typed: string, read: string | null][] = [
    ['9', '09:00'],
    [' 9:30 ', '09:30'],
    ['9.30', '09:30'],
    ['930', '09:30'],
    ['1405', '14:05'],
    ['14:05', '14:05'],
    ['14h05', '14:05'],
    ['2:05 pm', '14:05'],
    ['2:05PM', '14:05'],
    ['2 p.m.', '14:00'],
    ['2p', '14:00'],
    ['12 am', '00:00'],
    ['12:30 pm', '12:30'],
    ['0', '00:00'],
    ['', null],
    ['noonish', null],
    ['24:00', null],
    ['9:60', null],
    ['9:3', null],
    ['13 pm', null],
    ['0 am', null],
  ];
  for (const [typed, read] of rows)
    it(`"${typed}" is ${read ?? 'no time'}`, () => assert.equal(readTime(typed, '24h'), read));

  it('without am or pm stays in its half of the day, on a clock of twelve hours', () => {
    assert.equal(readTime('3:30', '12h', '14:00'), '15:30');
    assert.equal(readTime('12', '12h', '14:00'), '12:00');
    assert.equal(readTime('3:30', '12h', '09:00'), '03:30');
    assert.equal(readTime('15:30', '12h', '09:00'), '15:30');
    assert.equal(readTime('3:30 pm', '12h', '09:00'), '15:30');
    assert.equal(readTime('9', '12h'), '09:00');
  });

  it('is shown on the clock that the person prefers', () => {
    assert.equal(showTime('14:05', '24h'), '14:05');
    assert.equal(showTime('14:05', '12h'), '2:05 pm');
    assert.equal(showTime('00:00', '12h'), '12:00 am');
    assert.equal(showTime('', '12h'), '');
  });

  it('goes up and down, and around midnight', () => {
    assert.equal(stepTime('09:50', 15), '10:05');
    assert.equal(stepTime('23:50', 15), '00:05');
    assert.equal(stepTime('00:05', -15), '23:50');
  });
});
