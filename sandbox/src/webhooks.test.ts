import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signatureOf } from './webhooks.js';

describe('the signature of a webhook', () => {
  it('is an HMAC of the time and the exact body, in hexadecimal digits', () => {
    const body =
      '{"client_key":"sim_client_key","event":"post.publish.complete","create_time":1700000000,"user_openid":"sim-open-id-1","content":"{\\"publish_id\\":\\"v_pub_file~v2-1.7000000000000000001\\",\\"publish_type\\":\\"DIRECT_PUBLISH\\"}"}';
    assert.equal(
      signatureOf('sim_client_secret', 1_700_000_000, body),
      't=1700000000,s=f7c8e82e69d385052c5457bbb3722dd8f813bb80377323806677146fd124ccde',
    );
  });
});
