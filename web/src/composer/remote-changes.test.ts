// Changes from elsewhere in fields that the member has not touched: shown, and said.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failed, play, post, reread, saved, savedDraft, TIMER, typed } from '../../test/draft-examples.js';
import type { DraftEvent } from './draft-state.js';

const received = (changes: Parameters<typeof post>[0]): DraftEvent => ({
  kind: 'post_received',
  post: post({ etag: '"2"', ...changes }),
});

describe('a change from elsewhere', () => {
  it('is shown at once, and what it replaced is kept until the member has read it', () => {
    const { state } = play(savedDraft(), received({ title: 'Theirs' }));
    assert.equal(state.texts.now.title, 'Theirs');
    assert.deepEqual(state.remote, { replaced: { title: 'Saved title' }, waiting: [] });

    const again = play(state, received({ title: 'Theirs, again' })).state;
    assert.deepEqual(again.remote.replaced, { title: 'Saved title' });
    const seen = play(again, { kind: 'remote_seen' }).state;
    assert.deepEqual(seen.remote.replaced, {});
    assert.deepEqual(play(seen, received({ title: 'Third' })).state.remote.replaced, {
      title: 'Theirs, again',
    });
  });

  it('is no news when the member types there, or when the text is as it was', () => {
    const { state } = play(savedDraft(), received({ title: 'Theirs' }));
    assert.deepEqual(play(state, typed('title', 'Mine')).state.remote.replaced, {});
    assert.deepEqual(play(state, received({})).state.remote.replaced, {});
  });

  it('waits while the cursor is in the field', () => {
    const focus: DraftEvent = { kind: 'focused', field: 'title' };
    const { state } = play(savedDraft(), focus, received({ title: 'Theirs' }));
    assert.equal(state.texts.now.title, 'Saved title');
    assert.deepEqual(state.remote, { replaced: {}, waiting: ['title'] });
    const left = play(state, { kind: 'focused', field: undefined }, received({ title: 'Theirs' })).state;
    assert.deepEqual([left.texts.now.title, left.remote.waiting], ['Theirs', []]);
  });

  it('of another field than the typed one is said too, after a save and after a clash', () => {
    const typing = play(savedDraft(), typed('title', 'Mine'), TIMER).state;
    const answered = play(typing, saved({ title: 'Mine', caption: 'Theirs' })).state;
    assert.deepEqual(answered.remote.replaced, { caption: 'Saved caption' });
    const compared = play(typing, failed(412), reread({ caption: 'Theirs' })).state;
    assert.deepEqual(compared.remote.replaced, { caption: 'Saved caption' });
  });

  it('of the account or the labels is not news: other screens change them', () => {
    const { state } = play(savedDraft(), received({ social_account_id: 'a', labels: ['l'] }));
    assert.deepEqual(state.remote.replaced, {});
    assert.deepEqual([state.texts.now.social_account_id, state.texts.now.labels], ['a', 'l']);
  });
});
