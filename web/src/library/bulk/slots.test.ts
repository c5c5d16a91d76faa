import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { examplePost } from '../../../test/example-post.js';
import { firstStart, movedBy, ownSlots, rescheduleText, slotsFrom, tomorrowMorning } from './slots.js';

const ZONE = 'Europe/Berlin';
const startAt = (wall: string) => ({ wall, isSecondOccurrence: false });
const iso = (moments: number[] | null) =>
  moments?.map((at) => new Date(at).toISOString().replace(':00.000Z', ''));

describe('the slots of selected posts', () => {
  it('keep the local hour when clocks change', () =>
    assert.deepEqual(iso(slotsFrom(startAt('2026-10-24T18:00'), ZONE, { every: 1, unit: 'days' }, 3)), [
      '2026-10-24T16:00',
      '2026-10-25T17:00',
      '2026-10-26T17:00',
    ]));

  it('begin at the second of two equal times if that one is meant', () => {
    const start = { wall: '2026-10-25T02:30', isSecondOccurrence: true };
    const slots = (unit: 'hours' | 'days') => iso(slotsFrom(start, ZONE, { every: 1, unit }, 2));
    assert.deepEqual(slots('hours'), ['2026-10-25T01:30', '2026-10-25T02:30']);
    assert.deepEqual(slots('days'), ['2026-10-25T01:30', '2026-10-26T01:30']);
  });

  it('are some hours, days or weeks apart', () => {
    assert.deepEqual(iso(slotsFrom(startAt('2026-12-01T22:00'), ZONE, { every: 3, unit: 'hours' }, 2)), [
      '2026-12-01T21:00',
      '2026-12-02T00:00',
    ]);
    assert.deepEqual(iso(slotsFrom(startAt('2026-12-30T09:00'), ZONE, { every: 2, unit: 'weeks' }, 2)), [
      '2026-12-30T08:00',
      '2027-01-13T08:00',
    ]);
  });

  it('need a time and a whole number', () => {
    assert.equal(slotsFrom(startAt(''), ZONE, { every: 1, unit: 'days' }, 2), null);
    assert.equal(slotsFrom(startAt('2026-12-01T22:00'), ZONE, { every: Number.NaN, unit: 'days' }, 2), null);
    assert.equal(slotsFrom(startAt('2026-12-01T22:00'), ZONE, { every: 0, unit: 'days' }, 2), null);
  });

  it('move by days on the calendar', () => {
    assert.equal(
      new Date(movedBy('2026-10-24T16:00:00Z', 1, ZONE)).toISOString(),
      '2026-10-25T17:00:00.000Z',
    );
    assert.equal(
      new Date(movedBy('2026-10-25T17:00:00Z', -1, ZONE)).toISOString(),
      '2026-10-24T16:00:00.000Z',
    );
  });

  it('begin tomorrow at nine, by the clock on the wall', () =>
    assert.equal(tomorrowMorning(Date.parse('2026-11-30T23:30:00Z'), ZONE), '2026-12-02T09:00'));

  it('are those that the posts carry, if each has one and not all are scheduled', () => {
    const at = '2026-11-21T09:00:00Z';
    const draft = examplePost({ scheduled_at: at });
    const scheduled = examplePost({ status: 'scheduled', scheduled_at: at });
    assert.deepEqual(ownSlots([draft, scheduled]), [Date.parse(at), Date.parse(at)]);
    assert.equal(ownSlots([draft, examplePost({ scheduled_at: null })]), null);
    assert.equal(ownSlots([scheduled, scheduled]), null);
  });

  it('begin at the own time of a single draft, while that is ahead', () => {
    const draft = examplePost({ scheduled_at: '2026-11-21T09:00:00Z' });
    const startOf = (now: string) => firstStart([draft], Date.parse(now), 300_000, ZONE).wall;
    assert.equal(startOf('2026-11-21T08:55:00Z'), '2026-11-21T10:00');
    assert.equal(startOf('2026-11-21T08:56:00Z'), '2026-11-22T09:00');
  });

  it('are new to posts that are scheduled for another time, and to no draft', () => {
    const at = '2026-11-21T09:00:00Z';
    const scheduled = examplePost({ status: 'scheduled', scheduled_at: at });
    const draft = examplePost({ scheduled_at: at });
    const later = Date.parse(at) + 60_000;
    assert.equal(rescheduleText([scheduled, draft], [Date.parse(at), later]), null);
    assert.match(rescheduleText([scheduled, draft], [later, later]) ?? '', /^1 of these posts is already/);
    assert.match(
      rescheduleText([scheduled, scheduled], [later, later]) ?? '',
      /^2 of these posts are already/,
    );
    assert.match(rescheduleText([scheduled], [later]) ?? '', /^This post is already scheduled/);
  });
});
