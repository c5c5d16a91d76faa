import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { isSigned, readWebhook } from './webhooks.js';

const SECRET = 'sim_client_secret';
const CLIENT = { clientKey: 'sim_client_key', clientSecret: SECRET };
const AT = 1_700_000_000;
const BODY = Buffer.from(
  '{"client_key":"sim_client_key","event":"post.publish.complete","create_time":1700000000,"user_openid":"sim-open-id-1","content":"{\\"publish_id\\":\\"v_pub_file~v2-1.7000000000000000001\\",\\"publish_type\\":\\"DIRECT_PUBLISH\\"}"}',
);
const SIGNATURE = 'f7c8e82e69d385052c5457bbb3722dd8f813bb80377323806677146fd124ccde';
const HEADER = `t=${AT},s=${SIGNATURE}`;

describe('the signature of a webhook', () => {
  it('is taken as the vector has it, in either case', () => {
    assert.ok(isSigned(HEADER, BODY, SECRET, AT * 1000));
    assert.ok(isSigned(`t=${AT}, s=${SIGNATURE.toUpperCase()}`, BODY, SECRET, AT * 1000));
  });

  it('lasts for five minutes, whichever clock is ahead', () => {
    for (const [seconds, isFresh] of [
      [300, true],
      [-300, true],
      [301, false],
      [-301, false],
    ] as const)
      assert.equal(isSigned(HEADER, BODY, SECRET, (AT + seconds) * 1000), isFresh, String(seconds));
  });

  it('is refused with any bit of the body or of itself changed', () => {
    for (let at = 0; at < BODY.length; at += 7) {
      const changed = Buffer.from(BODY);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      assert.ok(!isSigned(HEADER, changed, SECRET, AT * 1000), `byte ${at}`);
    }
    for (let at = 0; at < 64; at++) {
      const digit = (Number.parseInt(SIGNATURE.charAt(at), 16) ^ 1).toString(16);
      const changed = SIGNATURE.slice(0, at) + digit + SIGNATURE.slice(at + 1);
      assert.ok(!isSigned(`t=${AT},s=${changed}`, BODY, SECRET, AT * 1000), `digit ${at}`);
    }
    assert.ok(!isSigned(`t=${AT + 1},s=${SIGNATURE}`, BODY, SECRET, AT * 1000), 'another time');
    assert.ok(!isSigned(HEADER, BODY, 'another secret', AT * 1000));
  });

  it('is refused in any other form', () => {
    for (const header of [
      '',
      't=1',
      `s=${SIGNATURE}`,
      `t=,s=${SIGNATURE}`,
      `t=${AT},s=`,
      `t=${AT},s=zz`,
      ',,=,',
    ])
      assert.ok(!isSigned(header, BODY, SECRET, AT * 1000), header);
  });
});

describe('a webhook', () => {
  const signed = (body: string) => {
    const s = createHmac('sha256', SECRET).update(`${AT}.${body}`).digest('hex');
    return readWebhook({ 'TikTok-Signature': `t=${AT},s=${s}` }, Buffer.from(body), CLIENT, AT * 1000);
  };

  it('names its post, and repeats have the same key', () => {
    const notice = readWebhook({ 'tiktok-signature': HEADER }, BODY, CLIENT, AT * 1000);
    assert.deepEqual(
      { ...notice, key: notice?.key.length },
      {
        publishId: 'v_pub_file~v2-1.7000000000000000001',
        openId: 'sim-open-id-1',
        isGrantGone: false,
        isPublic: false,
        key: 64,
      },
    );
  });

  it('reports that a post is public', () => {
    const notice = signed(
      '{"client_key":"sim_client_key","event":"post.publish.publicly_available","content":"{\\"publish_id\\":\\"p\\"}"}',
    );
    assert.deepEqual([notice?.isPublic, notice?.publishId], [true, 'p']);
  });

  it('reports that access was revoked', () => {
    const notice = signed(
      '{"client_key":"sim_client_key","event":"authorization.removed","user_openid":"x","content":"{\\"reason\\":1}"}',
    );
    assert.deepEqual([notice?.isGrantGone, notice?.openId, notice?.publishId], [true, 'x', null]);
  });

  it('is ignored without a signature, from another client, or with a malformed body', () => {
    assert.equal(readWebhook({}, BODY, CLIENT, AT * 1000), null);
    for (const body of [
      '{"client_key":"other","event":"x"}',
      '{"client_key":"sim_client_key"}',
      '[]',
      'null',
      '<html>',
    ])
      assert.equal(signed(body), null, body);
    assert.equal(signed('{"client_key":"sim_client_key","event":"e","content":"no JSON"}')?.publishId, null);
  });
});
