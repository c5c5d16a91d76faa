import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../core/problems.js';
import type { PostRow } from '../db/tables.js';
import { slotChanges } from './slot.js';

const NOW = Date.parse('2030-01-01T12:00:00Z');
const LEAD_MS = 300_000;
const LATER = NOW + 3_600_000;

const draft: PostRow = {
  org_id: 'org',
  id: 'post',
  post_type: 'slides',
  title: 'A post',
  caption: null,
  hashtags: null,
  status: 'draft',
  scheduled_at: null,
  last_slot: null,
  posted_at: null,
  social_account_id: null,
  publish_mode: 'direct',
  publish_retries: 0,
  last_publish_error: null,
  last_publish_error_code: null,
  wait_reason: null,
  last_outcome: null,
  privacy_level: null,
  disable_comment: 0,
  disable_duet: 0,
  disable_stitch: 0,
  brand_content_toggle: 0,
  brand_organic_toggle: 0,
  labels: null,
  cover_index: null,
  cover_ms: null,
  created_at: NOW,
  updated_at: NOW,
  version: 1,
};
const needed = { scheduled_at: LATER, social_account_id: 'account', privacy_level: 'SELF_ONLY' } as const;
const ready: PostRow = { ...draft, ...needed };
const booked: PostRow = { ...ready, status: 'scheduled' };

type Changes = Parameters<typeof slotChanges>[1];
type Status = Parameters<typeof slotChanges>[2];

const plan = (post: PostRow, changes: Changes, status?: Status, now = NOW) =>
  slotChanges(post, changes, status, now, LEAD_MS);

/** The fields that a refused plan names. */
function refused(post: PostRow, changes: Changes, status?: Status, now = NOW): string[] {
  try {
    plan(post, changes, status, now);
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.status, 400);
    return error.fields.map((field) => field.pointer).sort();
  }
  return [];
}

describe('Booking a slot', () => {
  it('moves the post to scheduled, whether the required fields are sent now or stored before', () => {
    assert.equal(plan(draft, needed, 'scheduled').status, 'scheduled');
    assert.equal(plan(ready, {}, 'scheduled').status, 'scheduled');
  });

  it('requires time, account and privacy level, and names all that are missing', () => {
    assert.deepEqual(refused(draft, {}, 'scheduled'), [
      '/privacy_level',
      '/scheduled_at',
      '/social_account_id',
    ]);
    for (const field of ['scheduled_at', 'social_account_id', 'privacy_level'] as const) {
      assert.deepEqual(refused({ ...ready, [field]: null }, {}, 'scheduled'), [`/${field}`]);
      assert.deepEqual(refused(ready, { [field]: null }, 'scheduled'), [`/${field}`]);
    }
  });

  for (const [ms, earliest] of [
    [0, NOW + LEAD_MS],
    [1, NOW + LEAD_MS],
    [999, NOW + LEAD_MS],
    [1000, NOW + LEAD_MS + 1000],
  ] as const)
    it(`counts the lead from the whole second, ${ms} ms after noon`, () => {
      assert.deepEqual(refused(ready, { scheduled_at: earliest }, 'scheduled', NOW + ms), []);
      assert.deepEqual(refused(ready, { scheduled_at: earliest - 1 }, 'scheduled', NOW + ms), [
        '/scheduled_at',
      ]);
    });

  it('checks a stored time when the post becomes scheduled', () => {
    assert.deepEqual(refused(ready, {}, 'scheduled', LATER - LEAD_MS), []);
    assert.deepEqual(refused(ready, {}, 'scheduled', LATER - LEAD_MS + 1000), ['/scheduled_at']);
  });

  it('says in words how far ahead the time must be', () => {
    const message = (leadMs: number) => {
      try {
        slotChanges(ready, { scheduled_at: NOW }, 'scheduled', NOW, leadMs);
      } catch (error) {
        return (error as AppError).message;
      }
      return '';
    };
    assert.match(message(300_000), /5 minutes/);
    assert.match(message(90_000), /90 seconds/);
  });

  it('is a new beginning: retries and the last error are cleared', () => {
    const { publish_retries, last_publish_error } = plan(
      { ...ready, publish_retries: 5, last_publish_error: 'Refused (spam_risk)' },
      {},
      'scheduled',
    );
    assert.deepEqual(
      { publish_retries, last_publish_error },
      { publish_retries: 0, last_publish_error: null },
    );
  });

  it('refuses branded content that only the poster would see, wherever either half comes from', () => {
    const branded = { ...ready, brand_content_toggle: 1 } as const;
    assert.deepEqual(refused(branded, {}, 'scheduled'), ['/privacy_level']);
    assert.deepEqual(refused(ready, { brand_content_toggle: 1 }, 'scheduled'), ['/privacy_level']);
    assert.deepEqual(refused(booked, { brand_content_toggle: 1 }), ['/privacy_level']);
    assert.deepEqual(refused(branded, { privacy_level: 'PUBLIC_TO_EVERYONE' }, 'scheduled'), []);
    assert.deepEqual(refused(branded, { brand_content_toggle: 0 }, 'scheduled'), []);
  });
});

describe('A draft without a slot', () => {
  it('requires nothing', () => {
    assert.deepEqual(plan(draft, { title: 'New' }), {});
    assert.deepEqual(plan(ready, { scheduled_at: null, social_account_id: null, privacy_level: null }), {});
  });

  it('stays a draft when only a time is stored, which must be ahead all the same', () => {
    assert.deepEqual(plan(draft, { scheduled_at: NOW + LEAD_MS }), {});
    assert.deepEqual(refused(draft, { scheduled_at: NOW + LEAD_MS - 1 }), ['/scheduled_at']);
  });

  it('does not mind a stored time that has passed', () => {
    assert.deepEqual(refused(ready, { title: 'New' }, undefined, LATER + 1), []);
  });
});

describe('Moving a slot', () => {
  it('takes a new time alone, or with status scheduled', () => {
    for (const status of [undefined, 'scheduled'] as const)
      assert.equal(
        plan({ ...booked, publish_retries: 3 }, { scheduled_at: LATER + 1 }, status).publish_retries,
        0,
      );
  });

  it('checks the lead only when a time is sent', () => {
    const late = LATER - 1000;
    assert.deepEqual(refused(booked, { title: 'New' }, undefined, late), []);
    assert.deepEqual(refused(booked, {}, 'scheduled', late), []);
    assert.deepEqual(refused(booked, { scheduled_at: LATER }, undefined, late), ['/scheduled_at']);
  });

  it('checks the first moment of 1970 like any other time', () => {
    assert.deepEqual(refused(booked, { scheduled_at: 0 }), ['/scheduled_at']);
    assert.deepEqual(refused(draft, { scheduled_at: 0 }), ['/scheduled_at']);
  });

  it('does not clear what the slot requires', () => {
    for (const field of ['scheduled_at', 'social_account_id', 'privacy_level'] as const)
      assert.deepEqual(refused(booked, { [field]: null }), [`/${field}`]);
  });

  it('releases a post that waits for another account, and keeps its retries', () => {
    assert.deepEqual(plan(booked, { social_account_id: 'another' }), {
      last_publish_error: null,
      wait_until: null,
    });
    assert.deepEqual(plan(booked, { social_account_id: booked.social_account_id }), {});
    assert.deepEqual(plan(draft, { social_account_id: 'another' }), {});
  });

  it('keeps retries and error while the time stays', () => {
    const tried = { ...booked, publish_retries: 3, last_publish_error: 'Wait (rate_limit)' };
    for (const changes of [{ title: 'New' }, { scheduled_at: LATER }]) {
      const planned = plan(tried, changes);
      assert.equal('publish_retries' in planned, false);
      assert.equal('last_publish_error' in planned, false);
    }
  });
});

describe('Giving up a slot', () => {
  it('returns to draft without a time, from scheduled and from draft', () => {
    for (const post of [booked, ready, draft])
      assert.deepEqual(plan(post, {}, 'draft'), { status: 'draft', scheduled_at: null, wait_until: null });
  });

  it('may clear what the slot required, and requires no lead', () => {
    const cleared = { scheduled_at: null, social_account_id: null, privacy_level: null };
    assert.deepEqual(refused(booked, cleared, 'draft', LATER + 1), []);
  });
});
