import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPasswords } from './passwords.js';

describe('passwords', () => {
  const passwords = createPasswords();

  it('are kept as argon2id with 19 MiB, two rounds and one lane, each with a salt of its own', async () => {
    const [one, two] = await Promise.all([
      passwords.hash('the same words'),
      passwords.hash('the same words'),
    ]);
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.notEqual(one, two);
  });

  it('match themselves alone', async () => {
    const stored = await passwords.hash('the right words');
    assert.equal(await passwords.matches(stored, 'the right words'), true);
    assert.equal(await passwords.matches(stored, 'the right words '), false);
    assert.equal(await passwords.matches(stored, 'The right words'), false);
  });

  it('do not match a person without one, not even with the text that stands in for it', async () => {
    assert.equal(await passwords.matches(null, 'a password that no account has'), false);
  });

  it('are the same however the keyboard makes an accent', async () => {
    const stored = await passwords.hash('crème brûlée'.normalize('NFC'));
    assert.equal(await passwords.matches(stored, 'crème brûlée'.normalize('NFD')), true);
  });

  it('are hashed two at a time, and refused if too many are waiting', async () => {
    const crowd = Array.from({ length: 84 }, () => passwords.hash('x'));
    const results = await Promise.allSettled(crowd);
    const refused = results.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 28);
    for (const { reason } of refused as PromiseRejectedResult[]) assert.equal(reason.code, 'unavailable');
    assert.match(await passwords.hash('and then as before'), /^\$argon2id/);
  });

  it('from addresses that failed often leave places in the line for the others', async () => {
    const stored = await passwords.hash('the right words');
    const guesses = Array.from({ length: 60 }, () => passwords.matches(stored, 'a guess', 'failing'));
    const another = passwords.matches(stored, 'the right words');
    const results = await Promise.allSettled(guesses);
    assert.equal(results.filter(({ status }) => status === 'rejected').length, 20);
    assert.equal(await another, true);
  });

  it('from where the person is signed in come first, and have a place when all others are taken', async () => {
    const stored = await passwords.hash('the right words');
    const done: string[] = [];
    const note = (name: string) => () => void done.push(name);
    const guesses = Array.from({ length: 60 }, () =>
      passwords.matches(stored, 'a guess').then(note('guess'), note('refused')),
    );
    const person = passwords.matches(stored, 'the right words', 'familiar').then(note('person'));
    await Promise.all([...guesses, person]);
    const checked = done.filter((name) => name !== 'refused');
    assert.equal(checked.length, 57);
    // After the two that were running, and those that ended in the same moment.
    assert.ok(checked.indexOf('person') <= 4, checked.join(' '));
  });
});
