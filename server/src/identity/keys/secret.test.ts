import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { hashSecret } from '../hash-secret.js';
import { isWellFormed, makeSecret, visiblePrefix } from './secret.js';

const replaceAt = (text: string, at: number, by: string) => text.slice(0, at) + by + text.slice(at + 1);

describe('the text of an API key', () => {
  it('is ad_, then random characters, then a checksum', () => {
    const secret = makeSecret();
    assert.match(secret, /^ad_[0-9A-Za-z]{36}$/);
    assert.ok(isWellFormed(secret));
  });

  it('is a new one each time', () => {
    const secrets = new Set(Array.from({ length: 1000 }, makeSecret));
    assert.equal(secrets.size, 1000);
  });

  it('is recognized as mistyped when any one character is wrong', () => {
    const secret = makeSecret();
    for (let at = 0; at < secret.length; at++)
      for (const by of ['0', 'A', 'z', '-'])
        if (secret[at] !== by) assert.equal(isWellFormed(replaceAt(secret, at, by)), false, `${by} at ${at}`);
  });

  it('is recognized as mistyped when two neighbours change places', () => {
    const secret = makeSecret();
    for (let at = 0; at < secret.length - 1; at++) {
      const [one, other] = [secret.charAt(at), secret.charAt(at + 1)];
      if (one === other) continue;
      assert.equal(isWellFormed(replaceAt(replaceAt(secret, at, other), at + 1, one)), false, `at ${at}`);
    }
  });

  it('is recognized as mistyped when something is missing, added or of another kind', () => {
    const secret = makeSecret();
    const wrong = [
      '',
      'ad_',
      secret.slice(0, -1),
      secret.slice(3),
      `${secret}0`,
      `${secret}\n`,
      ` ${secret}`,
      secret.replace('ad_', 'AD_'),
      secret.replace('ad_', 'ad-'),
    ];
    for (const text of wrong) assert.equal(isWellFormed(text), false, JSON.stringify(text));
  });

  it('is stored as its SHA-256, from which it cannot be read', () => {
    const secret = makeSecret();
    assert.equal(hashSecret(secret), createHash('sha256').update(secret).digest('hex'));
    assert.notEqual(hashSecret(secret), hashSecret(makeSecret()));
  });

  it('shows people only its first characters', () => {
    const secret = makeSecret();
    assert.ok(secret.startsWith(visiblePrefix(secret)));
    assert.ok(visiblePrefix(secret).length <= 10);
  });
});
