import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { obstacleOf } from './obstacle.js';

const READY = {
  mayPublish: true,
  mayManage: true,
  isUploading: false,
  isRemoving: false,
  hasMedia: true,
  addMediaLabel: 'Add slides',
  unusable: undefined,
};
const LOST = { id: 'a', username: 'city.notes', isListed: false };

describe('what keeps a post in the composer', () => {
  it('is nothing once it has media and an account that works', () => {
    assert.equal(obstacleOf(READY), undefined);
    assert.deepEqual(obstacleOf({ ...READY, hasMedia: false }), {
      reason: 'Add slides first.',
      lacksMedia: true,
    });
    assert.equal(obstacleOf({ ...READY, isRemoving: true })?.reason, 'Wait until the slide is removed.');
    assert.equal(obstacleOf({ ...READY, isUploading: true })?.reason, 'Wait for the upload to finish.');
  });

  it('is an account that must be connected, by its name, with the step for those who may take it', () => {
    assert.deepEqual(obstacleOf({ ...READY, unusable: LOST }), {
      reason: 'Connect @city.notes again, or choose another account.',
      connect: LOST,
    });
    assert.deepEqual(obstacleOf({ ...READY, mayManage: false, unusable: LOST }), {
      reason: 'Ask an owner or admin to connect @city.notes again, or choose another account.',
    });
    const listed = { ...LOST, isListed: true };
    assert.match(obstacleOf({ ...READY, unusable: listed })?.reason ?? '', /^Reconnect @city\.notes, or/);
  });
});
