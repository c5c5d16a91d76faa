import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  accountFound,
  EXAMPLES,
  FILE,
  failed,
  newDraft,
  play,
  post,
  RETRY,
  saved,
  savedDraft,
  TIMER,
  typed,
} from '../../test/draft-examples.js';
import { begin } from './draft-reduce.js';
import type { DraftState } from './draft-state.js';
import { viewOf } from './draft-state.js';

const LONG = 'x'.repeat(501);
const savingOf = (state: DraftState) => viewOf(state).saving;

describe('the screen of a draft', () => {
  it('says how far saving is', () => {
    assert.equal(savingOf(EXAMPLES['resting, new']), 'untouched');
    assert.equal(savingOf(EXAMPLES['resting, saved']), 'saved');
    for (const name of ['pausing, new', 'pausing, saved', 'find_account', 'create', 'update'] as const)
      assert.equal(savingOf(EXAMPLES[name]), 'saving', name);
    assert.equal(savingOf(play(newDraft(), FILE).state), 'saving');
    assert.equal(savingOf(play(EXAMPLES.update, saved({ title: 'Other title' })).state), 'saved');
  });

  it('says that a text is held back only when nothing is about to be saved', () => {
    const tooLong = play(savedDraft(), typed('title', LONG));
    assert.equal(savingOf(tooLong.state), 'saving');
    const held = viewOf(play(tooLong.state, TIMER).state);
    assert.equal(held.saving, 'held');
    assert.match(held.mistakes.title ?? '', /^1 over the 500-character limit/);
  });

  it('says that the API cannot be reached until it can, or the member tries again', () => {
    const lost = play(EXAMPLES.update, failed(0)).state;
    assert.equal(savingOf(lost), 'unreachable');
    assert.equal(savingOf(play(lost, TIMER).state), 'unreachable');
    assert.equal(savingOf(play(lost, RETRY).state), 'saving');
    assert.equal(savingOf(play(lost, typed('title', 'B')).state), 'saving');
    assert.equal(savingOf(play(lost, TIMER, saved({ title: 'Other title' })).state), 'saved');
  });

  it('shows what the API said: about the post, or about a field', () => {
    const refused = viewOf(play(EXAMPLES.update, failed(409)).state);
    assert.deepEqual([refused.saving, refused.problem], ['refused', 'problem 409']);
    const field = viewOf(play(EXAMPLES.update, failed(422, { title: 'Taken.' })).state);
    assert.deepEqual([field.saving, field.problem, field.mistakes], ['held', undefined, { title: 'Taken.' }]);
  });

  it('goes on saying that the session has ended, whatever is typed', () => {
    assert.deepEqual([savingOf(EXAMPLES.ended), viewOf(EXAMPLES.ended).problem], ['ended', 'problem 401']);
    const typing = play(EXAMPLES.ended, typed('caption', 'More'), TIMER, RETRY).state;
    assert.deepEqual([savingOf(typing), viewOf(typing).problem], ['ended', 'problem 401']);
    assert.equal(viewOf(typing).fields.caption, 'More');
    const typingWhileSaving = play(EXAMPLES['update, timer'], failed(401)).state;
    assert.equal(savingOf(typingWhileSaving), 'ended');
  });

  it('shows a refusal that comes after a temporary failure', () => {
    const refused = viewOf(play(EXAMPLES.update, failed(0), TIMER, failed(409)).state);
    assert.deepEqual([refused.saving, refused.problem], ['refused', 'problem 409']);
  });

  it('shows both texts of a conflict, and marks the fields', () => {
    const view = viewOf(EXAMPLES.conflict);
    assert.equal(view.saving, 'conflict');
    assert.deepEqual(view.conflicts, [{ field: 'title', mine: 'Other title', theirs: 'Their title' }]);
    assert.deepEqual(Object.keys(view.mistakes), ['title']);
    assert.equal(view.fields.title, 'Other title');
    assert.deepEqual(viewOf(EXAMPLES.reread).conflicts, []);
    assert.equal(savingOf(EXAMPLES.reread), 'saving');
  });

  it('says whether a text was restored, into a new post or in the place of a saved text', () => {
    const kept = { fields: { title: 'Kept' } };
    assert.equal(viewOf(begin(post(), kept)).restored, 'changed');
    assert.equal(
      viewOf(play(newDraft(), { kind: 'abandoned_text_found', left: kept }).state).restored,
      'new',
    );
    assert.equal(viewOf(newDraft()).restored, undefined);
    const lost = play(
      newDraft(),
      { kind: 'abandoned_text_found', left: kept },
      TIMER,
      accountFound(),
      saved(),
    );
    assert.equal(viewOf(lost.state).restored, 'new', 'until the member has seen it');
  });
});
