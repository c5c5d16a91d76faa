import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTrust, networkOf } from './networks.js';

describe('the network of an address', () => {
  it('is an IPv4 address itself, however it is written', () => {
    assert.equal(networkOf('203.0.113.7'), '203.0.113.7');
    assert.equal(networkOf('::ffff:203.0.113.7'), '203.0.113.7');
  });

  it('is the first half of an IPv6 address, which belongs to one site', () => {
    const same = ['2001:db8:0:7::1', '2001:DB8::7:0:0:0:2', '2001:0db8:0000:0007:aaaa:bbbb:cccc:dddd'];
    assert.deepEqual(new Set(same.map(networkOf)), new Set(['2001:db8:0:7::/64']));
    assert.notEqual(networkOf('2001:db8:0:8::1'), networkOf('2001:db8:0:7::1'));
    assert.equal(networkOf('::1'), '0:0:0:0::/64');
    assert.equal(networkOf('fe80::1'), 'fe80:0:0:0::/64');
  });
});

describe('a trusted proxy', () => {
  const isTrusted = createTrust(['loopback', '10.1.0.0/16', '2001:db8::7']);

  it('is one of the networks and addresses, however the socket writes it', () => {
    for (const address of ['127.0.0.1', '::1', '10.1.255.4', '::ffff:10.1.0.9', '2001:db8::7'])
      assert.equal(isTrusted(address), true, address);
  });

  it('is no other address, and no connection without one', () => {
    for (const address of ['10.2.0.1', '2001:db8::8', '::ffff:192.0.2.1', 'unix', undefined])
      assert.equal(isTrusted(address), false, String(address));
    assert.equal(createTrust([])('127.0.0.1'), false);
  });
});
