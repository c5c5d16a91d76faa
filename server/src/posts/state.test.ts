import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  allows,
  POST_STATUSES,
  type PostEvent,
  type PostStatus,
  statusAfterUnarchive,
  TRANSITIONS,
} from './state.js';

/** The contract's rules, written out again: which statuses allow the event. */
const ALLOWED = {
  edit: { draft: true, scheduled: true, publishing: false, posted: false, archived: false },
  schedule: { draft: true, scheduled: true, publishing: false, posted: false, archived: false },
  unschedule: { draft: true, scheduled: true, publishing: false, posted: false, archived: false },
  publish: { draft: true, scheduled: true, publishing: false, posted: false, archived: false },
  due: { draft: false, scheduled: true, publishing: false, posted: false, archived: false },
  miss: { draft: false, scheduled: true, publishing: false, posted: false, archived: false },
  resolve: { draft: false, scheduled: false, publishing: true, posted: false, archived: true },
  archive: { draft: true, scheduled: true, publishing: true, posted: true, archived: true },
  unarchive: { draft: false, scheduled: false, publishing: false, posted: false, archived: true },
  delete: { draft: true, scheduled: false, publishing: false, posted: false, archived: true },
} satisfies Record<PostEvent, Record<PostStatus, boolean>>;

describe('The state machine of posts', () => {
  it('has the five states of the specification', () => {
    assert.deepEqual([...POST_STATUSES].sort(), ['archived', 'draft', 'posted', 'publishing', 'scheduled']);
  });

  for (const [event, row] of Object.entries(ALLOWED) as [keyof typeof ALLOWED, Record<PostStatus, boolean>][])
    for (const status of POST_STATUSES)
      it(`${row[status] ? 'allows' : 'forbids'} to ${event} a post that is ${status}`, () => {
        assert.equal(allows(event, status), row[status]);
      });

  for (const [event, to] of [
    ['schedule', 'scheduled'],
    ['unschedule', 'draft'],
    ['archive', 'archived'],
    ['publish', 'publishing'],
    ['due', 'publishing'],
    ['miss', 'draft'],
  ] as const)
    it(`leads by ${event} to ${to}`, () => {
      assert.equal(TRANSITIONS[event].to, to);
    });

  it('returns a post from the archive to posted if it was published, else to draft', () => {
    assert.equal(statusAfterUnarchive({ posted_at: 1 }, false), 'posted');
    assert.equal(statusAfterUnarchive({ posted_at: 1 }, true), 'posted');
    assert.equal(statusAfterUnarchive({ posted_at: null }, false), 'draft');
  });

  it('returns a post whose attempt is open or unknown from the archive to publishing', () => {
    assert.equal(statusAfterUnarchive({ posted_at: null }, true), 'publishing');
  });

  it('takes the first moment of 1970 for a time of publishing like any other', () => {
    assert.equal(statusAfterUnarchive({ posted_at: 0 }, false), 'posted');
  });
});
