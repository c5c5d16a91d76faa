import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { answersChallenge } from './oauth.js';

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

describe('a code challenge', () => {
  it('is the SHA-256 of the verifier in small hexadecimal digits', () => {
    const challenge = '13d31e961a1ad8ec2f16b10c4c982e0876a878ad6df144566ee1894acb70f9c3';
    assert.ok(answersChallenge(VERIFIER, challenge));
    assert.ok(!answersChallenge(VERIFIER, challenge.toUpperCase()));
    assert.ok(!answersChallenge(`${VERIFIER}x`, challenge));
    assert.ok(!answersChallenge(null, challenge));
  });

  it('is not base64url, as it is everywhere else', () => {
    assert.ok(!answersChallenge(VERIFIER, createHash('sha256').update(VERIFIER).digest('base64url')));
  });

  it('needs a verifier of 43 to 128 allowed characters', () => {
    for (const verifier of ['short', 'x'.repeat(129), `${'x'.repeat(50)}!`]) {
      const challenge = createHash('sha256').update(verifier).digest('hex');
      assert.ok(!answersChallenge(verifier, challenge), verifier);
    }
  });
});
