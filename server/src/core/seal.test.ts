import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadOrCreateEncryptionKey } from '../config/encryption-key.js';
import { createSeal, keyIdOf, UnknownKey } from './seal.js';

const CONTEXT = ['an organization', 'a row', 'accounts.token'];

describe('a sealed text', () => {
  const seal = createSeal(randomBytes(32));

  it('opens in its context, with its key', () => {
    for (const text of ['a secret', '', 'ünï© 🎈', 'x'.repeat(100_000)])
      assert.equal(seal.unseal(seal.seal(text, CONTEXT), CONTEXT), text);
  });

  it('shows nothing of what it holds, and differs each time', () => {
    const [one, other] = [seal.seal('a secret', CONTEXT), seal.seal('a secret', CONTEXT)];
    assert.notEqual(one, other);
    for (const form of ['utf8', 'hex', 'base64url'] as const)
      assert.ok(!one.includes(Buffer.from('a secret').toString(form)));
  });

  it('does not open in another context', () => {
    const sealed = seal.seal('a secret', CONTEXT);
    const others = [
      ['another organization', 'a row', 'accounts.token'],
      ['an organization', 'another row', 'accounts.token'],
      ['an organization', 'a row', 'accounts.refresh_token'],
      ['an organization', 'a row'],
      [...CONTEXT, ''],
      ['a row', 'an organization', 'accounts.token'],
      [],
    ];
    for (const context of others) assert.throws(() => seal.unseal(sealed, context), `${context}`);
  });

  it('does not open in a context that only reads the same when its words are joined', () => {
    const sealed = seal.seal('a secret', ['ab', 'c']);
    for (const context of [['a', 'bc'], ['abc'], ['ab,c'], ['ab","c']])
      assert.throws(() => seal.unseal(sealed, context));
  });

  it('does not open with another key', () => {
    const sealed = seal.seal('a secret', CONTEXT);
    const other = createSeal(randomBytes(32));
    assert.throws(() => other.unseal(sealed, CONTEXT), UnknownKey);
    // Even if the key id in front is made to match.
    const [keyId] = other.seal('', CONTEXT).split('.');
    assert.throws(() => other.unseal(`${keyId}.${sealed.split('.')[1]}`, CONTEXT));
  });

  it('opens with a key that only opens, and is sealed anew with the current one', () => {
    const [old, current] = [randomBytes(32), randomBytes(32)];
    const sealed = createSeal(old).seal('a secret', CONTEXT);
    const both = createSeal(current, old);
    assert.equal(both.unseal(sealed, CONTEXT), 'a secret');
    const renewed = both.renew(sealed, CONTEXT);
    assert.deepEqual([keyIdOf(sealed), keyIdOf(renewed)], [...both.keyIds].reverse());
    assert.equal(createSeal(current).unseal(renewed, CONTEXT), 'a secret');
    assert.equal(both.renew(renewed, CONTEXT), renewed, 'it is left as it is');
    assert.throws(() => createSeal(old).unseal(renewed, CONTEXT), UnknownKey);
  });

  it('is verified by a key that only opens, if it was signed and not sealed', () => {
    const [old, current] = [randomBytes(32), randomBytes(32)];
    const signed = createSeal(old).sign('a cursor', CONTEXT);
    assert.equal(createSeal(current, old).verify(signed, CONTEXT), 'a cursor');
    assert.equal(createSeal(current).verify(signed, CONTEXT), null);
  });

  it('opens after a restart with the same key', () => {
    const key = randomBytes(32);
    const sealed = createSeal(Buffer.from(key)).seal('a secret', CONTEXT);
    assert.equal(createSeal(Buffer.from(key)).unseal(sealed, CONTEXT), 'a secret');
  });

  it('does not open when any of its bytes was changed', () => {
    const [keyId, text] = seal.seal('a secret', CONTEXT).split('.') as [string, string];
    const bytes = Buffer.from(text, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      assert.throws(() => seal.unseal(`${keyId}.${changed.toString('base64url')}`, CONTEXT), `byte ${at}`);
    }
  });

  it('does not open when a part of it is missing', () => {
    const [keyId, text] = seal.seal('a secret', CONTEXT).split('.') as [string, string];
    const bytes = Buffer.from(text, 'base64url');
    for (let length = 0; length < bytes.length; length++)
      assert.throws(
        () => seal.unseal(`${keyId}.${bytes.subarray(0, length).toString('base64url')}`, CONTEXT),
        `${length} bytes`,
      );
    for (const rest of ['', keyId, `${keyId}.`, text]) assert.throws(() => seal.unseal(rest, CONTEXT));
  });
});

describe('the key kept in DATA_DIR', () => {
  const root = mkdtempSync(join(tmpdir(), 'airdate-seal-'));
  after(() => rmSync(root, { recursive: true, force: true }));

  it('is made at the first start, readable by its owner alone, and stays the same', () => {
    const dir = join(root, 'new', 'data');
    const key = loadOrCreateEncryptionKey(dir);
    assert.equal(key.length, 32);
    assert.deepEqual(readdirSync(dir), ['encryption.key']);
    assert.equal(statSync(join(dir, 'encryption.key')).mode & 0o777, 0o600);
    assert.deepEqual(loadOrCreateEncryptionKey(dir), key);
  });

  it('is another one in another directory', () => {
    assert.notDeepEqual(
      loadOrCreateEncryptionKey(join(root, 'one')),
      loadOrCreateEncryptionKey(join(root, 'two')),
    );
  });

  it('is never replaced when it is damaged: the start fails, and the message shows nothing of the key', () => {
    const dir = join(root, 'damaged');
    const half = loadOrCreateEncryptionKey(dir).toString('hex').slice(0, 40);
    writeFileSync(join(dir, 'encryption.key'), half);
    assert.throws(
      () => loadOrCreateEncryptionKey(dir),
      (error: Error) => /damaged/.test(error.message) && !error.message.includes(half),
    );
  });
});
