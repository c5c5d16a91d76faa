import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, EnvReader } from './env-reader.js';

describe('Networks in the environment', () => {
  const read = (PROXIES: string) => {
    const reader = new EnvReader({ PROXIES });
    const networks = reader.networks('PROXIES');
    reader.done();
    return networks;
  };

  it('are addresses, ranges of them, or names for the private ones, separated by commas', () => {
    assert.deepEqual(read('loopback,10.1.2.3/32, fd00::/8'), ['loopback', '10.1.2.3/32', 'fd00::/8']);
    assert.deepEqual(read(''), []);
  });

  it('are refused if they are anything else, including ranges that cover everything', () => {
    for (const wrong of ['on', '1', '10.0.0.0/33', '10.0.0/8', '::1/129', '1.2.3.4/8/8', 'localhost'])
      assert.throws(() => read(wrong), ConfigError, wrong);
    for (const all of ['0.0.0.0/0', '::/0']) assert.throws(() => read(all), ConfigError);
  });
});
