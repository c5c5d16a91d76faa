// What a member chooses instead of typing it: the cover, labels, and the hashtags of the account.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  failed,
  newDraft,
  play,
  reread,
  saved,
  savedDraft,
  THEIRS,
  TIMER,
  typed,
} from '../../test/draft-examples.js';
import { clashesOf } from './draft-clash.js';
import type { DraftEvent, DraftState, Effect } from './draft-state.js';
import { unsavedOf } from './draft-state.js';

const changeIn = (effects: Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'update' ? [effect.change] : []))[0];
const creationIn = (effects: Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'create' ? [effect.creation] : []))[0];

describe('the cover and the labels of a draft', () => {
  it('are saved as numbers and as a list, and cleared with null and an empty list', () => {
    const chosen = play(savedDraft(), typed('cover_index', '2'), typed('labels', 'a b'), TIMER);
    assert.deepEqual(changeIn(chosen.effects), { cover_index: 2, labels: ['a', 'b'] });
    const moment = play(savedDraft({ post_type: 'video' }), typed('cover_ms', '1500'), TIMER);
    assert.deepEqual(changeIn(moment.effects), { cover_ms: 1500 });

    const cleared = play(
      savedDraft({ cover_index: 2, labels: ['a'] }),
      typed('cover_index', ''),
      typed('labels', ''),
      TIMER,
    );
    assert.deepEqual(changeIn(cleared.effects), { cover_index: null, labels: [] });
  });

  it('are kept in the browser until they are saved, and lead to a choice when both sides changed them', () => {
    const { state } = play(savedDraft(), typed('cover_index', '2'), TIMER);
    assert.deepEqual(unsavedOf(state)?.fields, { cover_index: '2' });
    const clash = play(state, failed(412), reread({ cover_index: 1 })).state;
    assert.deepEqual(clashesOf(clash), [{ field: 'cover_index', mine: '2', theirs: '1' }]);
    assert.equal(play(clash, THEIRS).state.texts.now.cover_index, '1');
  });
});

describe('the hashtags of the account', () => {
  const known: DraftEvent = {
    kind: 'account_known',
    account: { social_account_id: 'only', hashtags: '#maps' },
    key: 'key-1',
  };
  const firstSave = (...events: DraftEvent[]): { state: DraftState; effects: Effect[] } =>
    play(newDraft(), ...events, typed('title', 'New title'), TIMER, known);

  it('are filled in by the first save, as the member’s own text', () => {
    const { state, effects } = firstSave();
    assert.equal(creationIn(effects)?.body.hashtags, '#maps');
    assert.equal(state.texts.now.hashtags, '#maps');
    const done = play(state, saved({ title: 'New title', caption: null, hashtags: '#maps' })).state;
    assert.deepEqual([done.phase.name, done.texts.now.hashtags], ['resting', '#maps']);
    assert.deepEqual(done.elsewhere.replaced, {});
  });

  it('are not filled in if the member has typed others, or has removed them', () => {
    assert.equal(creationIn(firstSave(typed('hashtags', '#own')).effects)?.body.hashtags, '#own');
    assert.equal(creationIn(firstSave(typed('hashtags', '')).effects)?.body.hashtags, undefined);
  });
});
