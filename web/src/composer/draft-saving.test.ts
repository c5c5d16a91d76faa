import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  accountFound,
  EXAMPLES,
  FILE,
  failed,
  newDraft,
  type Played,
  phaseOf,
  play,
  post,
  RETRY,
  SAVE,
  SESSION_LOST,
  saved,
  savedDraft,
  sentIn,
  TIMER,
  typed,
} from '../../test/draft-examples.js';
import { begin } from './draft-reduce.js';
import { type DraftEvent, hasUnsaved, unsavedOf, viewOf } from './draft-state.js';
import type { Unsaved } from './unsaved-storage.js';

const LONG = 'x'.repeat(501);
const created = (changes = {}) => saved({ title: 'A', caption: null, ...changes });

/** What the last event sends, if it sends something. */
const sentBy = ({ request }: Played) => sentIn(request);
const timerOf = ({ timer }: Played): number | undefined => timer?.ms;
const phaseAfter = ({ state }: Played): string => phaseOf(state);

describe('a draft is saved', () => {
  it('600 ms after the last letter, and at once with another account', () => {
    assert.equal(timerOf(play(newDraft(), typed('title', 'A'))), 600);
    assert.equal(timerOf(play(newDraft(), typed('social_account_id', 'a'))), 0);
  });

  it('first by creating the post, with the only account and a title of its own if it has none', () => {
    const caption = play(newDraft(), typed('caption', 'Half a thought.'), TIMER, accountFound('k', 'a'));
    assert.deepEqual(sentBy(caption), {
      title: 'Untitled post',
      caption: 'Half a thought.',
      social_account_id: 'a',
      post_type: 'slides',
    });
    const after = play(caption.state, saved({ title: 'Untitled post', caption: 'Half a thought.' }));
    assert.deepEqual([after.state.id, after.state.texts.now.title], ['p', '']);
    assert.equal(hasUnsaved(after.state), false);
  });

  it('with the account that the member has chosen, though there is only one', () => {
    const chosen = play(newDraft(), typed('social_account_id', 'b'), TIMER, accountFound('k', 'a'));
    assert.equal((sentBy(chosen) as { social_account_id?: string }).social_account_id, 'b');
  });

  it('under the name of a file that needs the post, if nothing is typed', () => {
    const wanted = play(newDraft(), FILE, accountFound());
    assert.deepEqual(sentBy(wanted), { title: 'ridge', post_type: 'slides' });
    const after = play(wanted.state, saved({ title: 'ridge', caption: null }));
    assert.equal(after.state.texts.now.title, '');
    assert.equal(hasUnsaved(after.state), false);
  });

  it('later by what has changed; an empty text takes away what was there, but a title must stay', () => {
    const some = play(
      savedDraft(),
      typed('caption', ''),
      typed('hashtags', '#a'),
      typed('title', ' '),
      TIMER,
    );
    assert.deepEqual(sentBy(some), { caption: null, hashtags: '#a' });
    assert.equal(play(some.state, saved({ caption: null, hashtags: '#a' })).state.texts.now.title, ' ');
  });

  it('without a text that is too long, which stays in its field', () => {
    const held = play(savedDraft(), typed('title', LONG), TIMER);
    assert.equal(phaseAfter(held), 'resting');
    assert.deepEqual(unsavedOf(held.state)?.fields, { title: LONG });
    assert.deepEqual(sentBy(play(held.state, typed('title', 'Short'), TIMER)), { title: 'Short' });
  });

  it('once more at once if the member stopped typing while the first save was under way', () => {
    const creating = play(newDraft(), typed('title', 'A'), TIMER, accountFound()).state;
    const more = play(creating, typed('title', 'AB'), TIMER, created());
    assert.deepEqual([phaseAfter(more), sentBy(more)], ['update', { title: 'AB' }]);
    assert.equal(more.state.texts.now.title, 'AB');
    const typing = play(creating, typed('title', 'AB'), created());
    assert.deepEqual([phaseAfter(typing), sentBy(typing)], ['pausing', undefined]);
  });

  it('once more if the member typed the saved text again while another one was on its way', () => {
    const back = play(savedDraft(), typed('title', 'A'), TIMER, typed('title', 'Saved title'), TIMER);
    const after = play(back.state, saved({ title: 'A' }));
    assert.equal(after.state.texts.now.title, 'Saved title');
    assert.deepEqual(sentBy(after), { title: 'Saved title' });
  });

  it('with everything typed by then, if that is asked for while another save is under way', () => {
    const asked = play(savedDraft(), typed('title', 'A'), TIMER, typed('caption', 'B'), SAVE);
    const more = play(asked.state, saved({ title: 'A' }));
    assert.deepEqual(sentBy(more), { caption: 'B' });
  });
});

describe('a save that fails', () => {
  it('is of a kind by its status', () => {
    const phaseBy = (status: number | undefined) => phaseAfter(play(EXAMPLES.update, failed(status)));
    for (const status of [0, 429, 500, 503]) assert.equal(phaseBy(status), 'pausing', `${status}`);
    for (const status of [undefined, 400, 403, 404, 409, 422]) assert.equal(phaseBy(status), 'resting');
    assert.deepEqual([phaseBy(401), phaseBy(412)], ['ended', 'reread']);
  });

  it('for a while is repeated after growing waits, and at once when the member asks', () => {
    let { state } = play(savedDraft(), typed('title', 'A'), TIMER);
    for (const ms of [2_000, 4_000, 8_000, 15_000, 30_000, 30_000]) {
      const lost = play(state, failed(0));
      assert.equal(timerOf(lost), ms);
      ({ state } = play(lost.state, TIMER));
    }
    ({ state } = play(state, failed(503)));
    assert.deepEqual(sentBy(play(state, RETRY)), { title: 'A' });
    const again = play(state, typed('title', 'AB'), TIMER, failed(503));
    assert.equal(timerOf(again), 2_000, 'what is typed starts the waits anew');
  });

  it('while creating is repeated with the same key and body, whatever is typed or chosen meanwhile', () => {
    const lost = play(newDraft(), typed('title', 'A'), TIMER, accountFound('first', 'a'), failed(0)).state;
    const changed = play(lost, typed('title', 'AB'), { kind: 'type_chosen', postType: 'video' }, TIMER);
    const again = play(changed.state, accountFound('second'));
    assert.deepEqual(again.request, { kind: 'create', creation: lost.creation });
    assert.equal(lost.creation?.key, 'first');
    const after = play(again.state, created());
    assert.deepEqual(sentBy(after), { title: 'AB' });
  });

  it('while creating is repeated even if the text was deleted meanwhile: the post may exist', () => {
    const lost = play(newDraft(), typed('title', 'A'), TIMER, accountFound('first'), failed(0)).state;
    const again = play(lost, typed('title', ''), TIMER, accountFound('second'));
    assert.equal(again.state.creation?.key, 'first');
    assert.equal(play(again.state, created()).state.id, 'p');
  });

  it('while creating is repeated with the same key in the next tab, too', () => {
    const lost = play(newDraft(), typed('title', 'A'), TIMER, accountFound('first'), failed(0)).state;
    const kept = unsavedOf(lost) as Unsaved;
    const again = play(
      newDraft(),
      { kind: 'abandoned_text_found', left: kept },
      TIMER,
      accountFound('second'),
    );
    assert.equal(again.state.creation?.key, 'first');
    assert.equal(again.state.texts.now.title, 'A');
  });

  it('by field is repeated without that field, which waits for another text or a retry', () => {
    const both = play(savedDraft(), typed('title', 'A'), typed('hashtags', '#b'), TIMER);
    const rest = play(both.state, failed(422, { title: 'Taken.' }));
    assert.deepEqual(sentBy(rest), { hashtags: '#b' });
    const held = play(rest.state, saved({ hashtags: '#b' }));
    assert.deepEqual([phaseAfter(held), held.state.problem], ['resting', undefined]);
    assert.deepEqual(unsavedOf(held.state)?.fields, { title: 'A' });
    assert.equal(sentBy(play(held.state, SAVE)), undefined);
    assert.deepEqual(sentBy(play(held.state, RETRY)), { title: 'A' });
    assert.deepEqual(sentBy(play(held.state, typed('title', 'B'), TIMER)), { title: 'B' });
  });

  it('by field while creating gets a new key, and a file still gets its post', () => {
    const wanted = play(newDraft(), typed('caption', 'C'), FILE, accountFound('first')).state;
    const again = play(wanted, failed(422, { caption: 'No.' }), accountFound('second'));
    assert.deepEqual(sentBy(again), { title: 'ridge', post_type: 'slides' });
    assert.equal(again.state.creation?.key, 'second');
  });

  it('altogether rests with its problem and its text, until the member types or asks', () => {
    const refused = play(savedDraft(), typed('title', 'A'), TIMER, failed(409));
    assert.deepEqual([phaseAfter(refused), refused.state.problem], ['resting', 'problem 409']);
    assert.deepEqual(unsavedOf(refused.state)?.fields, { title: 'A' });
    assert.equal(play(refused.state, typed('title', 'AB')).state.problem, undefined);
    assert.deepEqual(sentBy(play(refused.state, RETRY)), { title: 'A' });
  });

  it('altogether while creating for a file no longer wants the post', () => {
    const refused = play(newDraft(), FILE, accountFound(), failed(403)).state;
    assert.deepEqual(
      [refused.isWanted, refused.creation, refused.problem],
      [false, undefined, 'problem 403'],
    );
  });

  it('because the session ended keeps the text, and sends nothing ever again', () => {
    const ended = play(savedDraft(), typed('title', 'A'), TIMER, failed(401)).state;
    for (const event of [SAVE, RETRY, TIMER, FILE, typed('caption', 'B')])
      assert.equal(sentBy(play(ended, event, TIMER, SAVE)), undefined);
    assert.deepEqual(unsavedOf(ended)?.fields, { title: 'A' });
  });
});

describe('a session that is lost', () => {
  it('stops a draft before it saves into the session of another member', () => {
    for (const draft of [newDraft(), savedDraft()]) {
      const typing = play(draft, typed('title', 'A')).state;
      const stopped = play(typing, SESSION_LOST);
      assert.deepEqual([phaseAfter(stopped), stopped.state.problem], ['ended', 'signed out']);
      assert.equal(stopped.state.timer, undefined);
      for (const event of [SAVE, RETRY, TIMER, FILE, accountFound()])
        assert.equal(sentBy(play(stopped.state, event, TIMER, SAVE)), undefined);
      assert.deepEqual(unsavedOf(stopped.state)?.fields, { title: 'A' });
    }
  });

  it('stops a first save that has not left yet, and waits for the answer of one that has', () => {
    const choosing = play(newDraft(), typed('title', 'A'), TIMER).state;
    assert.equal(sentBy(play(choosing, SESSION_LOST, accountFound())), undefined);
    const creating = play(choosing, accountFound()).state;
    assert.equal(play(creating, SESSION_LOST).state, creating);
  });
});

describe('a text from elsewhere', () => {
  const theirs: DraftEvent = { kind: 'post_received', post: post({ title: 'Theirs', caption: 'Theirs' }) };

  it('replaces what is saved, but neither what is typed nor the field the cursor is in', () => {
    const { now } = play(savedDraft(), typed('title', 'Mine'), theirs).state.texts;
    assert.deepEqual([now.title, now.caption], ['Mine', 'Theirs']);
    const focused = play(savedDraft(), { kind: 'focused', field: 'caption' }, theirs);
    assert.deepEqual(
      [focused.state.texts.now.title, focused.state.texts.now.caption],
      ['Theirs', 'Saved caption'],
    );
    const left = play(focused.state, { kind: 'focused', field: undefined }, theirs);
    assert.equal(left.state.texts.now.caption, 'Theirs');
  });

  it('waits while a save is under way', () => {
    assert.equal(
      play(savedDraft(), typed('title', 'A'), TIMER, theirs).state.texts.now.caption,
      'Saved caption',
    );
  });
});

describe('text that this browser has kept', () => {
  const kept: Unsaved = { fields: { title: 'Kept', hashtags: '#kept' }, postType: 'video' };

  it('of a post is back in its fields, and nothing is saved before the member says which one stays', () => {
    const restored = begin(post(), kept);
    assert.deepEqual([restored.timer, restored.request], [undefined, undefined]);
    const typing = play(restored, typed('caption', 'More'), TIMER, RETRY, { kind: 'save_requested' }).state;
    assert.deepEqual(
      [typing.timer, typing.request, viewOf(typing).saving],
      [undefined, undefined, 'unanswered'],
    );
    assert.deepEqual(sentBy(play(typing, { kind: 'restore_answered', isKept: true }, TIMER)), {
      title: 'Kept',
      caption: 'More',
      hashtags: '#kept',
    });
    assert.equal(restored.postType, 'slides', 'a post keeps its type');
    const answer = (isKept: boolean) => play(restored, { kind: 'restore_answered', isKept }).state;
    assert.deepEqual([answer(true).texts.now.title, answer(true).restored], ['Kept', undefined]);
    assert.deepEqual([answer(false).texts.now.title, answer(false).restored], ['Saved title', undefined]);
    assert.equal(play(answer(false), TIMER).state.request, undefined, 'the API has it already');
  });

  it('and is the same as the saved text is nothing to speak of', () => {
    const same = begin(post(), { fields: { title: 'Saved title' } });
    assert.deepEqual([same.restored, phaseOf(same)], [undefined, 'resting']);
  });

  it('of a closed tab goes into a new post with its type, but not over what is typed there', () => {
    const found: DraftEvent = { kind: 'abandoned_text_found', left: kept };
    const taken = play(newDraft(), found).state;
    assert.deepEqual([taken.texts.now.title, taken.postType, taken.restored?.isNew], ['Kept', 'video', true]);
    const typing = play(newDraft(), typed('caption', 'Mine')).state;
    assert.equal(play(typing, found).state, typing);
  });

  it('is nothing once everything is saved', () => {
    const creating = play(newDraft(), typed('title', 'A'), TIMER, accountFound()).state;
    assert.deepEqual(unsavedOf(creating)?.creation?.key, 'key-1');
    assert.equal(unsavedOf(play(creating, created()).state), undefined);
  });
});
