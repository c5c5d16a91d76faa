import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleAttempt, examplePost, exampleProblem } from '../../test/example-post.js';
import type { Failure } from '../publish/failure.js';
import { findBlockers, nextStepInList, nextStepOf } from './blockers.js';
import { isOutdated } from './outdated.js';

const DEAD = exampleProblem('reconnect_required', 'Reconnect field.notes.');
const LONG = exampleProblem('caption_too_long', 'Shorten the caption.');
const failure = (changes: Partial<Failure> = {}): Failure => ({
  code: 'spam_risk_text',
  message: 'The text was flagged as spam.',
  at: null,
  isOpen: true,
  ...changes,
});
const failed = examplePost({ last_publish_error: 'No (x)' });
const scheduled = examplePost({ status: 'scheduled' });

describe('a posted post', () => {
  it('is outdated if it is older than another end of its attempt', () => {
    const posted = examplePost({ status: 'posted', updated_at: '2026-11-19T23:36:49Z' });
    const ended = exampleAttempt({ outcome: 'in_inbox', finished_at: '2026-11-19T23:36:55Z' });
    assert.equal(isOutdated(posted, ended), true);
    assert.equal(isOutdated(posted, { ...ended, outcome: 'failed' }), true);
    assert.equal(isOutdated(posted, { ...ended, outcome: 'published' }), false);
    assert.equal(isOutdated({ ...posted, in_inbox: true }, ended), false);
    // Its creator has published the draft since.
    assert.equal(isOutdated({ ...posted, updated_at: '2026-11-20T08:00:00Z' }, ended), false);
  });
});

describe('the standing of a post', () => {
  it('names each cause once, and the first one has the next step', () => {
    const standing = findBlockers(
      failed,
      [DEAD],
      failure({ code: DEAD.code, message: 'Revoked. Reconnect it.' }),
    );
    assert.deepEqual(standing?.problems, [DEAD]);
    assert.equal(nextStepOf(failed, true, standing), 'reconnect');
  });

  it('is never ready beside a failure', () => {
    const standing = findBlockers(failed, [], failure());
    assert.equal(standing?.tone, 'attention');
    assert.equal(nextStepOf(failed, true, standing), 'fix');
    const mended = findBlockers(failed, [], failure({ isOpen: false }));
    assert.equal(mended?.tone, 'publishing');
    assert.equal(nextStepOf(failed, true, mended), 'publish');
  });

  it('says why it failed, and not what the post lacks besides', () => {
    const missing = exampleProblem('account_missing', 'Choose the account to publish to.');
    const standing = findBlockers(failed, [missing], failure());
    assert.deepEqual(standing?.problems, [
      { code: 'spam_risk_text', detail: 'The text was flagged as spam.' },
    ]);
    assert.equal(nextStepOf(failed, true, standing), 'fix');
  });

  it('sends a post again as it is when nothing is wrong with it', () => {
    const missed = findBlockers(failed, [], failure({ code: 'slot_missed' }));
    assert.equal(missed?.tone, 'attention');
    assert.equal(nextStepOf(failed, true, missed), 'publish');
  });

  it('says that a scheduled post will fail, and what a draft lacks', () => {
    assert.equal(findBlockers(scheduled, [LONG], null)?.title, 'This post will fail');
    assert.equal(nextStepOf(scheduled, true, findBlockers(scheduled, [LONG], null)), 'fix');
    const bare = [exampleProblem('no_media', 'Add the video.')];
    assert.equal(findBlockers(examplePost(), bare, null)?.tone, 'draft');
    assert.equal(nextStepOf(examplePost(), false, findBlockers(examplePost(), bare, null)), 'add-media');
  });

  it('says that a scheduled post waits for an account that must be reconnected', () => {
    const standing = findBlockers(scheduled, [DEAD, LONG], null);
    assert.deepEqual([standing?.title, standing?.tone], ['This post will wait', 'attention']);
    assert.equal(nextStepOf(scheduled, true, standing), 'reconnect');
  });

  it('says that a draft is not scheduled for its time, which can still be published', () => {
    const planned = examplePost({ scheduled_at: '2020-12-01T18:00:00Z' });
    const warning = exampleProblem('time_without_slot', 'Schedule it, or remove the time.');
    const blockers = findBlockers(planned, [warning], null);
    assert.match(blockers?.title ?? '', /^Not scheduled for Tue,? 1 Dec 2020/);
    assert.equal(nextStepOf(planned, true, blockers), 'publish');
    const both = findBlockers(planned, [LONG, warning], null);
    assert.deepEqual([both?.title, both?.problems.length], ['Before you publish', 2]);
  });

  it('is not ready without an account, which the sheet asks for', () => {
    const missing = [exampleProblem('account_missing', 'Choose the account to publish to.')];
    const standing = findBlockers(examplePost(), missing, null);
    assert.deepEqual([standing?.title, standing?.problems], ['Before you publish', missing]);
    assert.equal(nextStepOf(examplePost(), true, standing), 'publish');
    assert.equal(
      nextStepOf(examplePost(), true, findBlockers(examplePost(), [...missing, LONG], null)),
      'fix',
    );
    assert.equal(nextStepOf(scheduled, true, findBlockers(scheduled, [], null)), 'reschedule');
    assert.equal(findBlockers(examplePost(), null, null), null);
  });

  it('has the same next step on a card as on the page', () => {
    const dead = examplePost({ last_publish_error: 'Revoked (auth_removed)', cover_url: '/a.png' });
    const listed = (error: string | null, problems: (typeof LONG)[], changes = {}) =>
      nextStepInList({
        ...dead,
        last_publish_error: error,
        readiness: { ready: problems.length === 0, problems },
        post_type: 'slides',
        ...changes,
      });
    assert.equal(listed('It was too late (slot_missed)', []), 'publish');
    assert.equal(listed('Revoked (auth_removed)', [DEAD]), 'reconnect');
    assert.equal(listed('Revoked (auth_removed)', []), 'publish');
    assert.equal(listed('Spam (spam_risk_text)', []), 'fix');
    assert.equal(listed(null, []), 'publish');
    assert.equal(listed(null, [LONG], { status: 'scheduled' }), 'fix');
    assert.equal(listed(null, [], { status: 'scheduled' }), 'reschedule');
  });
});
