// A model of the browser and the API around a draft, for its random walks (draft-walk.test.ts). Each typed text is different
// from all others, so that at every moment the model knows where it must be.
import assert from 'node:assert/strict';
import type { PostWithEtag } from '../src/api/client.js';
import { begin, reduce } from '../src/composer/draft-reduce.js';
import {
  conflictsOf,
  type DraftEvent,
  type DraftState,
  isAsking,
  type Request,
  unsavedOf,
} from '../src/composer/draft-state.js';
import { bodyOf, changeOf, type Field } from '../src/composer/fields.js';
import { saveable } from '../src/composer/texts.js';
import type { Unsaved } from '../src/composer/unsaved-storage.js';
import { accountFound, failed, newDraft, PLAIN, phaseOf, post, savedDraft } from './draft-examples.js';

export class World {
  state: DraftState;
  request: Request | undefined;
  isTimerOn = false;
  isSessionOver = false;
  /** What this browser keeps. */
  kept: Unsaved | undefined;
  /** What the API has. */
  posted: PostWithEtag | undefined;
  /** By the key of the request that made it. */
  readonly made = new Map<string, PostWithEtag>();
  readonly bodies = new Map<string, string>();
  /** Typed, and not yet known to be saved. */
  typed: Partial<Record<Field, string>> = {};
  /** Saved by another member, and not yet shown to this one. */
  unseen: Partial<Record<Field, string>> = {};
  #count = 0;

  constructor(isNew: boolean) {
    this.state = isNew ? newDraft() : savedDraft();
    if (!isNew) this.posted = post();
  }

  next = (word: string): string => `${word} ${this.#count++}`;

  send(event: DraftEvent): void {
    const before = this.state;
    this.state = reduce(before, event);
    if (this.state !== before) this.#follow(before);
  }

  /** What the browser does after an event, as draft.ts does it. */
  #follow(before: DraftState): void {
    const { request, timer } = this.state;
    if (timer !== before.timer) this.isTimerOn = timer !== undefined;
    this.kept = unsavedOf(this.state);
    if (!request || request === before.request) return;
    assert.equal(this.request, undefined, 'two requests at a time');
    assert.ok(!this.isSessionOver, 'a request after the session ended');
    this.request = request;
    if (request.kind !== 'create') return;
    const { key, body } = request.creation;
    assert.equal(JSON.stringify(body), this.bodies.get(key) ?? JSON.stringify(body), 'another body');
    assert.deepEqual(this.kept?.creation, request.creation, 'sent before it was kept');
    this.bodies.set(key, JSON.stringify(body));
  }

  /** The API does what is asked. A key that it knows makes no second post. */
  perform(request: Request): PostWithEtag | undefined {
    if (request.kind === 'create') {
      const { key, body } = request.creation;
      if (!this.made.has(key))
        this.made.set(
          key,
          post({ caption: null, etag: this.next('tag'), ...bodyOf(body), post_type: body.post_type }),
        );
      this.posted ??= this.made.get(key);
    }
    if (request.kind === 'update' && !this.isStale(request)) {
      const change = changeOf(request.sent, Object.keys(request.sent) as Field[]);
      for (const field of PLAIN)
        if (change[field] !== undefined && change[field] !== this.posted?.[field])
          assert.equal(this.unseen[field], undefined, `the ${field} of another member is overwritten unseen`);
      this.change(change);
    }
    return this.posted;
  }

  isStale = (request: Request): boolean =>
    request.kind === 'update' && request.etag !== undefined && request.etag !== this.posted?.etag;

  change(fields: Partial<PostWithEtag>): void {
    if (this.posted) this.posted = { ...this.posted, ...fields, etag: this.next('tag') };
  }

  answer(how: Answer): void {
    const { request } = this;
    if (!request) return;
    this.request = undefined;
    if (request.kind === 'find_account')
      return this.send(accountFound(this.next('key'), how === 'lost' ? undefined : 'only'));
    const isKnown = request.kind === 'create' && this.made.has(request.creation.key);
    if (how === 'ended') {
      this.isSessionOver = true;
      return this.send(failed(401));
    }
    if (how === 'done, but lost') this.perform(request);
    if (how === 'lost' || how === 'done, but lost') return this.send(failed(0));
    if (how === 'busy') return this.send(failed(503));
    if (how === 'refused' && !isKnown) return this.send(failed(409));
    if (request.kind === 'reread') {
      assert.ok(this.posted);
      return this.send({ kind: 'reread', post: this.posted });
    }
    if (this.isStale(request)) return this.send(failed(412));
    if (how === 'internal') return this.send(failed(undefined));
    const sent: Partial<Record<(typeof PLAIN)[number], string | null>> =
      request.kind === 'create' ? request.creation.body : request.sent;
    const [first] = PLAIN.filter((field) => sent[field] === this.typed[field] && sent[field] !== undefined);
    if (how === 'field refused' && first && !isKnown) return this.send(failed(422, { [first]: 'No.' }));
    const made = this.perform(request);
    assert.ok(made);
    for (const field of PLAIN) if (sent[field] === this.typed[field]) delete this.typed[field];
    this.send({ kind: 'saved', post: made });
  }

  /** The tab is gone. Its writer comes back, signed in, and finds what the browser has kept. */
  reload(): void {
    this.request = undefined;
    this.isTimerOn = false;
    this.isSessionOver = false;
    const { kept, posted } = this;
    if (this.state.id === undefined || !posted) {
      this.state = newDraft();
      if (kept) this.send({ kind: 'abandoned_text_found', left: kept });
      return;
    }
    for (const field of PLAIN) if (posted[field] === this.typed[field]) delete this.typed[field];
    this.state = begin(posted, kept);
    this.isTimerOn = this.state.timer !== undefined;
    if (isAsking(this.state))
      assert.equal(this.state.request ?? this.state.timer, undefined, 'it saves unasked');
  }

  check(): void {
    const { state } = this;
    assert.equal(state.request, this.request, 'a state that does not fit the request');
    assert.equal(state.timer !== undefined, this.isTimerOn, 'a state that does not fit the timer');
    assert.ok(this.made.size <= 1, 'two posts');
    const clashes = conflictsOf(state);
    for (const field of PLAIN) {
      const theirs = [state.texts.now[field], clashes.find((clash) => clash.field === field)?.theirs];
      if (theirs.includes(this.unseen[field])) delete this.unseen[field];
      // The draft has read that a save arrived whose answer was lost.
      const { saved, lost } = state.texts;
      if (saved[field] === this.typed[field] && lost[field] === undefined) delete this.typed[field];
      const text = this.typed[field];
      if (text === undefined) continue;
      assert.equal(state.texts.now[field], text, `the ${field} is lost`);
      assert.equal(this.kept?.fields[field], text, `the ${field} would be lost with the tab`);
    }
    if (phaseOf(state) === 'resting' && saveable(state.texts).length > 0 && !isAsking(state))
      assert.notEqual(state.problem, undefined, 'it rests on unsaved text, and says nothing');
  }
}

export const ANSWERS = [
  'done',
  'done, but lost',
  'lost',
  'busy',
  'refused',
  'field refused',
  'internal',
  'ended',
] as const;
export type Answer = (typeof ANSWERS)[number];
