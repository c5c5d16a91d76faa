import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isWeakPassword } from './weak-passwords.js';

describe('a weak password', () => {
  const weak: [why: string, ...passwords: string[]][] = [
    ['is a common one', 'qwerty123456', '1q2w3e4r5t6y', 'unbelievable', 'sonyericsson'],
    ['is a common one in any case and width', 'QWERTY123456', 'Unbelievable', 'ｕｎｂｅｌｉｅｖａｂｌｅ'],
    ['is a common one with digits and signs around it', 'password1234', '!!Password2026!!', 'letmein-12345'],
    ['is a common one, repeated', 'passwordpassword', 'dragondragon', 'dragondragon123'],
    ['is a few characters over and over', 'aaaaaaaaaaaa', '121212121212', 'abcabcabcabcabc'],
  ];
  for (const [why, ...passwords] of weak)
    it(why, () => {
      for (const password of passwords) assert.equal(isWeakPassword(password), true, password);
    });

  it('is none that a person made up', () => {
    for (const password of [
      'correct horse battery staple',
      'something else altogether',
      'Wanderstiefel im Juli',
      'x7#Kq!m2Zp0v',
      '4 maps & 1 tent',
      'пароль от палатки',
    ])
      assert.equal(isWeakPassword(password), false, password);
  });
});
