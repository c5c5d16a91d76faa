import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  accountFound,
  EXAMPLES,
  failed,
  MINE,
  newDraft,
  type Played,
  phaseOf,
  play,
  post,
  reread,
  saved,
  savedDraft,
  sentIn,
  THEIRS,
  TIMER,
  typed,
} from '../../test/draft-examples.js';
import { begin } from './draft-reduce.js';
import {
  conflictsOf,
  type DraftEvent,
  type DraftState,
  hasUnsaved,
  unsavedOf,
  viewOf,
} from './draft-state.js';
import type { Unsaved } from './unsaved-storage.js';

/** What the last event sends: the change, and the ETag it depends on. */
const sentBy = ({ request }: Pick<Played, 'request'>) =>
  request?.kind === 'update' ? [sentIn(request), request.etag] : undefined;
const received = (changes: Parameters<typeof post>[0]): DraftEvent => ({
  kind: 'post_received',
  post: post({ etag: '"2"', ...changes }),
});
const conflicting = (state: DraftState) => conflictsOf(state).map(({ field }) => field);

describe('a save', () => {
  it('depends on the post that its writer has seen', () => {
    assert.deepEqual(sentBy(play(savedDraft(), typed('title', 'A'), TIMER)), [{ title: 'A' }, '"1"']);
    const after = play(EXAMPLES.update, saved({ title: 'Other title', etag: '"2"' }), typed('title', 'B'));
    assert.deepEqual(sentBy(play(after.state, TIMER)), [{ title: 'B' }, '"2"']);
    const created = play(newDraft(), typed('title', 'A'), TIMER, accountFound());
    const exists = play(created.state, saved({ title: 'A', caption: null, etag: '"7"' }));
    assert.deepEqual(sentBy(play(exists.state, typed('title', 'B'), TIMER)), [{ title: 'B' }, '"7"']);
  });

  it('depends on a newer one as soon as the fields show all of it', () => {
    const typing = play(savedDraft(), typed('title', 'A')).state;
    const shown = play(typing, received({ caption: 'Theirs' }), TIMER);
    assert.deepEqual([shown.state.texts.now.caption, sentBy(shown)], ['Theirs', [{ title: 'A' }, '"2"']]);
    const other = play(typing, received({ title: 'Theirs' }), TIMER);
    assert.deepEqual(sentBy(other), [{ title: 'A' }, '"1"'], 'the title is not shown');
    const focused = play(
      savedDraft(),
      { kind: 'focused', field: 'caption' },
      received({ caption: 'Theirs' }),
    );
    const hidden = play(focused.state, typed('title', 'A'), TIMER);
    assert.deepEqual(sentBy(hidden), [{ title: 'A' }, '"1"'], 'the cursor is in the caption');
  });

  it('that is refused with 412 is repeated if nothing of the text has changed, or only what the member left alone', () => {
    assert.deepEqual(phaseOf(EXAMPLES.reread), 'reread');
    assert.deepEqual(sentBy(play(EXAMPLES.reread, reread())), [{ title: 'Other title' }, '"2"']);
    const merged = play(EXAMPLES.reread, reread({ caption: 'Theirs' }));
    assert.deepEqual(sentBy(merged), [{ title: 'Other title' }, '"2"']);
    assert.equal(merged.state.texts.now.caption, 'Theirs');
    const same = play(EXAMPLES.reread, reread({ title: 'Other title' }));
    assert.deepEqual([phaseOf(same.state), hasUnsaved(same.state)], ['resting', false]);
  });

  it('that is refused although its ETag is the newest is repeated later, not at once', () => {
    for (const etag of ['"1"', undefined]) {
      const { state, timer } = play(EXAMPLES.reread, reread({ etag }));
      assert.equal(phaseOf(state), 'pausing');
      assert.deepEqual(timer, { ms: 2_000 });
    }
  });
});

describe('a conflict', () => {
  it('saves nothing until the member has chosen, and keeps the text in this browser', () => {
    const events: DraftEvent[] = [TIMER, { kind: 'save_requested' }, { kind: 'retry_requested' }];
    for (const event of events) assert.equal(play(EXAMPLES.conflict, event).state, EXAMPLES.conflict);
    assert.deepEqual(unsavedOf(EXAMPLES.conflict)?.fields, { title: 'Other title' });
  });

  it('ends with the own text, saved over the newest version', () => {
    const mine = play(EXAMPLES.conflict, MINE);
    assert.deepEqual(sentBy(mine), [{ title: 'Other title' }, '"2"']);
    const after = play(mine.state, saved({ title: 'Other title', etag: '"3"' }));
    assert.deepEqual([phaseOf(after.state), hasUnsaved(after.state)], ['resting', false]);
  });

  it('ends with theirs, and the member goes on from there', () => {
    const theirs = play(EXAMPLES.conflict, THEIRS);
    assert.equal(sentBy(theirs), undefined);
    assert.deepEqual([theirs.state.texts.now.title, hasUnsaved(theirs.state)], ['Their title', false]);
    const more = play(theirs.state, typed('title', 'Their title, improved'), TIMER);
    assert.deepEqual(sentBy(more), [{ title: 'Their title, improved' }, '"2"']);
  });

  it('is about the fields that both have changed, and leaves the others as they are', () => {
    const both = play(savedDraft(), typed('title', 'Mine'), typed('caption', 'Mine'), TIMER, failed(412));
    const { state } = play(both.state, reread({ title: 'Theirs', hashtags: '#theirs' }));
    assert.deepEqual(conflicting(state), ['title']);
    assert.equal(state.texts.now.hashtags, '#theirs');
    assert.deepEqual(sentBy(play(state, THEIRS)), [{ caption: 'Mine' }, '"2"']);
    assert.deepEqual(sentBy(play(state, MINE)), [{ title: 'Mine', caption: 'Mine' }, '"2"']);
  });

  it('takes up what is typed meanwhile, and is over when both have the same text', () => {
    const typing = play(EXAMPLES.conflict, typed('title', 'Other title!')).state;
    assert.deepEqual(viewOf(typing).conflicts, [
      { field: 'title', mine: 'Other title!', theirs: 'Their title' },
    ]);
    assert.deepEqual(sentBy(play(typing, MINE)), [{ title: 'Other title!' }, '"2"']);
    const same = play(typing, typed('title', 'Their title'), TIMER);
    assert.deepEqual([phaseOf(same.state), hasUnsaved(same.state)], ['resting', false]);
  });

  it('follows what the others change meanwhile', () => {
    const newer = play(EXAMPLES.conflict, received({ title: 'Their second', etag: '"3"' })).state;
    assert.deepEqual(viewOf(newer).conflicts[0]?.theirs, 'Their second');
    assert.deepEqual(sentBy(play(newer, MINE)), [{ title: 'Other title' }, '"3"']);
    const back = play(newer, received({ etag: '"4"' }));
    assert.deepEqual(sentBy(back), [{ title: 'Other title' }, '"4"'], 'they have taken it back');
  });

  it('is found again by the next tab, with the text that this browser has kept', () => {
    const kept = unsavedOf(EXAMPLES.conflict) as Unsaved;
    const again = begin(post({ title: 'Their title', etag: '"2"' }), kept);
    assert.deepEqual([conflicting(again), again.request, again.timer], [['title'], undefined, undefined]);
    assert.equal(viewOf(again).restored, undefined, 'the choice is offered once');
    const typedOnly = unsavedOf(play(savedDraft(), typed('title', 'Mine')).state) as Unsaved;
    assert.deepEqual(conflicting(begin(post({ title: 'Theirs' }), typedOnly)), ['title']);
    assert.deepEqual(conflicting(begin(post({ caption: 'Theirs' }), typedOnly)), []);
  });
});

describe('a save whose answer was lost', () => {
  const lost = play(savedDraft(), typed('title', 'New'), TIMER, failed(0)).state;
  const typedBack = play(lost, typed('title', 'Saved title')).state;

  it('leaves the field unsaved, also if the old text is typed again: the API may have the other one', () => {
    assert.equal(viewOf(typedBack).saving, 'saving');
    const again = play(typedBack, TIMER);
    assert.deepEqual(sentBy(again), [{ title: 'Saved title' }, '"1"']);
    const after = play(again.state, saved({ etag: '"2"' })).state;
    assert.deepEqual([viewOf(after).saving, hasUnsaved(after)], ['saved', false]);
  });

  it('and had arrived is no conflict with oneself', () => {
    const refused = play(typedBack, TIMER, failed(412), reread({ title: 'New' }));
    assert.deepEqual(sentBy(refused), [{ title: 'Saved title' }, '"2"']);
    const more = play(lost, typed('title', 'Newer'), TIMER, failed(412), reread({ title: 'New' }));
    assert.deepEqual(sentBy(more), [{ title: 'Newer' }, '"2"']);
    const unchanged = play(lost, TIMER, failed(412), reread({ title: 'New' }));
    assert.deepEqual([phaseOf(unchanged.state), hasUnsaved(unchanged.state)], ['resting', false]);
  });

  it('is remembered by this browser', () => {
    const kept = unsavedOf(play(lost, typed('title', 'Newer')).state) as Unsaved;
    const again = begin(post({ title: 'New', etag: '"2"' }), kept);
    assert.deepEqual(conflicting(again), []);
    assert.deepEqual(sentBy(play(again, KEEP, TIMER)), [{ title: 'Newer' }, '"2"']);
  });
});

const KEEP = { kind: 'restore_answered', isKept: true } as const;
