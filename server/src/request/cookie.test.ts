import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clearCookie, cookieName, readCookie, setCookie } from './cookie.js';

const HTTP = { publicUrl: 'http://localhost:3000' };
const HTTPS = { publicUrl: 'https://airdate.example.com' };

describe("the session's cookie", () => {
  it('is found among others, by its whole name', () => {
    const cases: [header: string, value: string | null][] = [
      ['airdate=abc', 'abc'],
      ['a=1; airdate=abc; b=2', 'abc'],
      ['a=1;airdate=abc;b=2', 'abc'],
      ['airdate=a=b', 'a=b'],
      ['airdate=', ''],
      ['airdate=first; airdate=second', 'first'],
      ['__Host-airdate=abc', null],
      ['airdate2=abc; xairdate=abc', null],
      ['airdate', null],
      ['AIRDATE=abc', null],
      ['', null],
    ];
    for (const [header, value] of cases) assert.equal(readCookie(header, 'airdate'), value, header);
  });

  it('is bound to this host and to TLS by its name, where there is TLS', () => {
    assert.equal(cookieName(HTTP), 'airdate');
    assert.equal(cookieName(HTTPS), '__Host-airdate');
    assert.equal(
      setCookie(HTTPS, 'abc', 60_000),
      '__Host-airdate=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
    );
    assert.equal(clearCookie(HTTP), 'airdate=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
  });
});
