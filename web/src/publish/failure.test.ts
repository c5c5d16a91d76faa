import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Asset, Post } from '@airdate/sdk/core';
import { exampleAccount, exampleAttempt, examplePost } from '../../test/example-post.js';
import { failureOf, type KnownFacts } from './failure.js';

const SIZE = "A file's width or height isn't supported (picture_size_check_failed)";
const FAILED_AT = '2026-11-15T12:00:00Z';

const failed = (error: string, changes: Partial<Post> = {}) =>
  examplePost({ post_type: 'slides', last_publish_error: error, updated_at: FAILED_AT, ...changes });

const slide = (width: number, height: number) => ({ width, height }) as Asset;

const facts = (error: string, changes: Partial<KnownFacts> = {}): KnownFacts => ({
  latest: exampleAttempt({ error_message: error, finished_at: FAILED_AT }),
  assets: [slide(1080, 1920), slide(200, 200)],
  account: exampleAccount('a'),
  platform: { name: 'TikTok', atStart: 'TikTok' },
  ...changes,
});

/** What is sent is no longer what the attempt sent. */
const changed = exampleAttempt({ error_message: SIZE, finished_at: FAILED_AT, post_changed: true });

describe('a failure', () => {
  it('of a size names the slide and its size', () => {
    const failure = failureOf(failed(SIZE), facts(SIZE));
    assert.match(
      failure?.message ?? '',
      /^TikTok didn’t accept the size of slide 2 \(200 × 200\)\. Use at least/,
    );
    assert.deepEqual([failure?.at, failure?.isOpen], [FAILED_AT, true]);
    // Other changes do not help.
    assert.equal(failureOf(failed(SIZE), facts(SIZE, { latest: changed }))?.isOpen, true);
  });

  it('of a slide that has the best size does not advise to use that size', () => {
    const best = facts(SIZE, { assets: [slide(1080, 1920)] });
    assert.equal(
      failureOf(failed(SIZE), best)?.message,
      'TikTok didn’t accept the size of the slide, though it is 1080 × 1920. Replace the file.',
    );
  });

  it('of one of several slides says what is known of them', () => {
    const said = (...assets: Asset[]) => failureOf(failed(SIZE), facts(SIZE, { assets }))?.message;
    const best = slide(1080, 1920);
    const start = 'TikTok rejected the size of a slide, but didn’t say which.';
    assert.equal(
      said(best, best, best, best),
      `${start} All 4 are 1080 × 1920, which should work. Try again, or replace them.`,
    );
    assert.equal(
      said(best, slide(1080, 1350), best),
      `${start} Check slide 2 (1080 × 1350) first: 1080 × 1920 is best.`,
    );
    assert.equal(
      said(slide(1080, 1350), slide(1080, 1350)),
      `${start} Both are 1080 × 1350. 1080 × 1920 is best.`,
    );
  });

  it('is dealt with when the slide is another, and not by waiting', () => {
    const mended = facts(SIZE, { assets: [slide(1080, 1920), slide(1080, 1350)] });
    // Labels and the archive change the post too, and are not sent.
    assert.equal(failureOf(failed(SIZE, { updated_at: '2026-11-15T13:00:00Z' }), mended)?.isOpen, true);
    assert.equal(failureOf(failed(SIZE), { ...mended, latest: changed })?.isOpen, false);
  });

  it('of an account is open until that is connected', () => {
    const error = 'The account revoked its access. Reconnect it (auth_removed)';
    assert.equal(failureOf(failed(error), facts(error))?.isOpen, false);
    const account = exampleAccount('a', { status: 'reconnect_required' });
    const failure = failureOf(failed(error), facts(error, { account }));
    assert.deepEqual([failure?.code, failure?.isOpen], ['reconnect_required', true]);
  });

  it('without an attempt has the time of the lost slot', () => {
    // The worker writes the post hours after the slot.
    const missed = failed('It was too late (slot_missed)', { last_slot: '2026-11-14T09:00:00Z' });
    for (const latest of [undefined, exampleAttempt({ error_message: 'Another', finished_at: FAILED_AT })]) {
      const failure = failureOf(missed, facts('', { latest }));
      assert.deepEqual(failure, {
        code: 'slot_missed',
        message: 'It was too late.',
        at: '2026-11-14T09:00:00Z',
        isOpen: true,
      });
    }
  });

  it('is none of a post that is under way or out', () => {
    assert.equal(failureOf(failed(SIZE, { status: 'posted' }), facts(SIZE)), null);
    assert.equal(failureOf(examplePost(), facts('')), null);
  });
});
