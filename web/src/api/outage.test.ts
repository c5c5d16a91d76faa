import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { isOutage, noteAnswer, onReturn, suspectOutage, tryNow } from './outage.js';

describe('the connection', () => {
  let answer: number | null;
  let returns: number;
  let forget: () => void;
  beforeEach(() => {
    answer = 200;
    returns = 0;
    forget = onReturn(() => {
      returns++;
    });
    mock.timers.enable({ apis: ['setTimeout'] });
    mock.method(globalThis, 'fetch', async () => {
      if (answer === null) throw new TypeError('Failed to fetch');
      return new Response(null, { status: answer });
    });
  });
  afterEach(async () => {
    answer = 200;
    await tryNow();
    forget();
    mock.timers.reset();
    mock.restoreAll();
  });

  it('is not lost because one request was', async () => {
    suspectOutage();
    mock.timers.tick(400);
    await tryNow();
    assert.equal(isOutage(), false);
    assert.equal(returns, 0);
  });

  it('is lost without an answer, asked for again, and back with any answer, even a refusal', async () => {
    answer = null;
    suspectOutage();
    mock.timers.tick(400);
    await tryNow();
    assert.equal(isOutage(), true);
    answer = 503;
    mock.timers.tick(2_000);
    await tryNow();
    assert.equal(isOutage(), true);
    answer = 401;
    mock.timers.tick(4_000);
    await tryNow();
    assert.equal(isOutage(), false);
    assert.equal(returns, 1);
  });

  it('is back as soon as another request is answered', async () => {
    answer = null;
    await tryNow();
    noteAnswer();
    assert.equal(isOutage(), false);
    assert.equal(returns, 1);
  });
});
