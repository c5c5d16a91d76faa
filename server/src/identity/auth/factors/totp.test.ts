import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeAt, makeTotpSecret, otpauthUrl, stepAt, stepOfCode, toBase32 } from './totp.js';

const SECRET = Buffer.from('12345678901234567890');

/** RFC 6238, appendix B, SHA-1: seconds, and the code of eight digits. The last six are the code of six. */
const VECTORS: [number, string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
];

describe('A code of an authenticator app', () => {
  it('is the one of RFC 6238', () => {
    for (const [seconds, code] of VECTORS)
      assert.equal(codeAt(SECRET, stepAt(seconds * 1000)), code.slice(2), String(seconds));
  });

  it('is accepted one step before and after its own, and neither two before nor two after', () => {
    const now = 1_900_000_000_000;
    const step = stepAt(now);
    const accepted = [-2, -1, 0, 1, 2].map((off) => stepOfCode(SECRET, codeAt(SECRET, step + off), now));
    assert.deepEqual(accepted, [null, step - 1, step, step + 1, null]);
  });

  it('is six digits', () => {
    for (const wrong of ['', '12345', '1234567', 'abcdef', '１２３４５６'])
      assert.equal(stepOfCode(SECRET, wrong, 0 + 60_000), null, wrong);
  });
});

describe('A secret of an authenticator app', () => {
  it('is written in base32 as RFC 4648 does', () => {
    const written = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) =>
      toBase32(Buffer.from(text)),
    );
    assert.deepEqual(written, ['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI']);
  });

  it('has 160 bits, and another value each time', () => {
    assert.equal(makeTotpSecret().length, 20);
    assert.notDeepEqual(makeTotpSecret(), makeTotpSecret());
  });

  it('is told to the app with the name of the service and the person', () => {
    const url = new URL(otpauthUrl(SECRET, 'ada+x@example.com'));
    assert.match(url.href, /^otpauth:\/\/totp\/Airdate%3Aada%2Bx%40example\.com\?/);
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      issuer: 'Airdate',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});
