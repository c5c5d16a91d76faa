// What a member chooses instead of typing it: the cover, labels, and the hashtags of the account.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  failed,
  newDraft,
  phaseOf,
  play,
  reread,
  saved,
  savedDraft,
  sentIn,
  THEIRS,
  TIMER,
  typed,
} from '../../test/draft-examples.js';
import { conflictsOf, type DraftEvent, unsavedOf } from './draft-state.js';

describe('the cover and the labels of a draft', () => {
  it('are saved as numbers and as a list, and cleared with null and an empty list', () => {
    const chosen = play(savedDraft(), typed('cover_index', '2'), typed('labels', 'a b'), TIMER);
    assert.deepEqual(sentIn(chosen.request), { cover_index: 2, labels: ['a', 'b'] });
    const moment = play(savedDraft({ post_type: 'video' }), typed('cover_ms', '1500'), TIMER);
    assert.deepEqual(sentIn(moment.request), { cover_ms: 1500 });

    const cleared = play(
      savedDraft({ cover_index: 2, labels: ['a'] }),
      typed('cover_index', ''),
      typed('labels', ''),
      TIMER,
    );
    assert.deepEqual(sentIn(cleared.request), { cover_index: null, labels: [] });
  });

  it('are kept in the browser until they are saved, and lead to a choice when both sides changed them', () => {
    const { state } = play(savedDraft(), typed('cover_index', '2'), TIMER);
    assert.deepEqual(unsavedOf(state)?.fields, { cover_index: '2' });
    const clash = play(state, failed(412), reread({ cover_index: 1 })).state;
    assert.deepEqual(conflictsOf(clash), [{ field: 'cover_index', mine: '2', theirs: '1' }]);
    assert.equal(play(clash, THEIRS).state.texts.now.cover_index, '1');
  });
});

describe('the hashtags of the account', () => {
  const known: DraftEvent = {
    kind: 'account_found',
    account: { social_account_id: 'only', hashtags: '#maps' },
    key: 'key-1',
  };
  const firstSave = (...events: DraftEvent[]) =>
    play(newDraft(), ...events, typed('title', 'New title'), TIMER, known);

  it('are filled in by the first save, as the member’s own text', () => {
    const { state } = firstSave();
    assert.equal(state.creation?.body.hashtags, '#maps');
    assert.equal(state.texts.now.hashtags, '#maps');
    const done = play(state, saved({ title: 'New title', caption: null, hashtags: '#maps' })).state;
    assert.deepEqual([phaseOf(done), done.texts.now.hashtags], ['resting', '#maps']);
    assert.deepEqual(done.remote.replaced, {});
  });

  it('are not filled in if the member has typed others, or has removed them', () => {
    assert.equal(firstSave(typed('hashtags', '#own')).state.creation?.body.hashtags, '#own');
    assert.equal(firstSave(typed('hashtags', '')).state.creation?.body.hashtags, undefined);
  });
});
