import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asUuid, firstIdAt, idGenerator, timeOfId } from './ids.js';

const START = Date.UTC(2026, 11, 1);

/** A clock that is set by hand. */
function handClock() {
  let at = START;
  return {
    now: () => at,
    set(ms: number) {
      at = ms;
    },
  };
}

const isSorted = (ids: string[]) => ids.every((id, i) => i === 0 || (ids[i - 1] as string) < id);

describe('ids', () => {
  it('are UUIDs of version 7, with their time in front', () => {
    const id = idGenerator(handClock())();
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(Number.parseInt(id.replace('-', '').slice(0, 12), 16), START);
  });

  it('tell their time, and a time tells where its ids begin', () => {
    const clock = handClock();
    const next = idGenerator(clock);
    const before = next();
    clock.set(START + 1);
    const id = next();
    assert.equal(timeOfId(id), START + 1);
    assert.ok(before < firstIdAt(START + 1) && firstIdAt(START + 1) < id);
    assert.equal(firstIdAt(-1), firstIdAt(0));
  });

  it('grow within one millisecond', () => {
    const next = idGenerator(handClock());
    const ids = Array.from({ length: 20_000 }, next);
    assert.ok(isSorted(ids));
    assert.equal(new Set(ids).size, ids.length);
  });

  it('grow with the clock', () => {
    const clock = handClock();
    const next = idGenerator(clock);
    const ids = Array.from({ length: 500 }, (_, i) => {
      clock.set(START + Math.floor(i / 3));
      return next();
    });
    assert.ok(isSorted(ids));
  });

  it('grow also when the clock steps back', () => {
    const clock = handClock();
    const next = idGenerator(clock);
    const ids: string[] = [];
    for (const step of [0, 5, -3_600_000, -1, 0, 4, 5, 6, -86_400_000, 7]) {
      clock.set(START + step);
      for (let i = 0; i < 100; i++) ids.push(next());
    }
    assert.ok(isSorted(ids));
    assert.equal(new Set(ids).size, ids.length);
  });

  it('of two generators at the same moment differ', () => {
    const [one, other] = [idGenerator(handClock()), idGenerator(handClock())];
    const ids = Array.from({ length: 1000 }, () => [one(), other()]).flat();
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe('an id from outside', () => {
  it('is taken in either case and kept in one spelling', () => {
    const id = idGenerator(handClock())();
    assert.equal(asUuid(id), id);
    assert.equal(asUuid(id.toUpperCase()), id);
  });

  it('is null if it is not a UUID', () => {
    const id = idGenerator(handClock())();
    const wrong = [
      '',
      'batch',
      id.slice(1),
      `${id}0`,
      `${id}\n`,
      ` ${id}`,
      `{${id}}`,
      id.replaceAll('-', ''),
    ];
    for (const text of wrong) assert.equal(asUuid(text), null, JSON.stringify(text));
    assert.equal(asUuid(id.replace(/.$/, 'g')), null);
  });
});
