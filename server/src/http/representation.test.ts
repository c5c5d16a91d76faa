import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptsGzip } from './representation.js';

const ACCEPTED = [
  'gzip',
  'GZIP',
  'deflate, gzip',
  'br;q=1.0, gzip;q=0.5',
  'gzip; q=0.001',
  '*',
  'br, *;q=0.1',
];
const REFUSED = [
  '',
  'identity',
  'br',
  'gzip;q=0',
  'gzip;q=0.000, br',
  '*;q=0',
  '*, gzip;q=0',
  'gzipped',
  'gzip;q',
];

describe('gzip', () => {
  for (const header of ACCEPTED) it(`is accepted by "${header}"`, () => assert.ok(acceptsGzip(header)));
  for (const header of REFUSED) it(`is not accepted by "${header}"`, () => assert.ok(!acceptsGzip(header)));
  it('is not accepted without the header', () => assert.ok(!acceptsGzip(undefined)));
});
