import assert from 'node:assert/strict';
import { it } from 'node:test';
import { orgOf, partKey, thumbnailKey, uploadKey } from './object-keys.js';

it('the organization is read from the key of an object, of its upload, its thumbnail and a part', () => {
  const orgId = '0198c5a0-0000-7000-8000-000000000001';
  const key = `orgs/${orgId}/posts/0198c5a0-0000-7000-8000-000000000002/slides/a.png`;
  for (const one of [key, uploadKey(key), thumbnailKey(key), partKey(uploadKey(key), 3)])
    assert.equal(orgOf(one), orgId, one);
  assert.equal(orgOf('airdate/alive'), '');
});
