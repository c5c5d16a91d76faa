// One post while a member writes it. It lives outside React, so saving goes on whatever is on the screen. What happens
// when is decided in draft-reduce.ts; this carries it out: requests, the timer, and what this browser keeps.
import type { QueryClient } from '@tanstack/react-query';
import { ApiError, api, askForPost, type SeenPost } from '../api/client.js';
import { newId } from '../api/idempotency-keys.js';
import { meQuery, postQuery, preflightQuery } from '../api/queries.js';
import { queryKeys } from '../api/query-keys.js';
import { onSessionLost } from '../api/session.js';
import { begin } from './draft-begin.js';
import { reduce } from './draft-reduce.js';
import {
  type DraftEvent,
  type DraftState,
  type Effect,
  hasUnsaved,
  isBusy,
  type PostType,
  type Step,
  unsavedOf,
} from './draft-state.js';
import { canTakeUp } from './draft-steps.js';
import { type DraftView, viewOf } from './draft-view.js';
import { bodyOf, FIELDS, type Field, type PostChange } from './fields.js';
import { suggestedAccount } from './suggested-account.js';
import {
  type Creation,
  type Kept,
  keep,
  kept,
  lockUntilClosed,
  offerLeft,
  unborn,
} from './unsaved-storage.js';

export class Draft {
  /** The same from the first letter to the last, whatever id the post gets meanwhile. */
  readonly key = newId();
  /** It began without a post: what its account suggests may be filled in. */
  readonly isNew: boolean;
  readonly #client: QueryClient;
  readonly #onCreated: (draft: Draft, id: string) => void;
  readonly #listeners = new Set<() => void>();
  readonly #person: string;
  #state: DraftState;
  #view: DraftView;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Called when no save is under way any more. */
  #waiting: (() => void)[] = [];
  /** Tells other tabs that this one no longer writes the new post. */
  #release = () => {};

  constructor(
    client: QueryClient,
    onCreated: (draft: Draft, id: string) => void,
    start: SeenPost | PostType,
  ) {
    this.#client = client;
    this.#onCreated = onCreated;
    this.#person = client.getQueryData(meQuery.queryKey)?.user?.id ?? 'key';
    const isNew = typeof start === 'string';
    this.isNew = isNew;
    const first = begin(start, isNew ? undefined : kept(this.#person, start.id));
    this.#state = first.state;
    this.#view = viewOf(first.state);
    this.#take(first);
    if (isNew) {
      this.#release = lockUntilClosed(this.#person, unborn(this.key));
      void offerLeft(this.#person, (left) => this.#takeUp(left));
    }
    window.addEventListener('online', () => this.retry());
    onSessionLost((problem) => this.#send({ kind: 'session_lost', problem }));
  }

  view = (): DraftView => this.#view;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get id(): string | undefined {
    return this.#state.id;
  }

  /** Of the post as this draft knows it. */
  get etag(): string | undefined {
    return this.#state.etag;
  }

  set(field: Field, text: string): void {
    this.#send({ kind: 'typed', field, text });
  }

  /** Only before the post exists: the API cannot change it later. */
  setType(postType: PostType): void {
    this.#send({ kind: 'type_chosen', postType });
  }

  focus(field: Field): void {
    this.#send({ kind: 'focused', field });
  }

  blur(): void {
    this.#send({ kind: 'focused', field: undefined });
    const post = this.id && this.#client.getQueryData<SeenPost>(postQuery(this.id).queryKey);
    if (post) this.receive(post);
  }

  /** What the API says now, maybe changed by another member. */
  receive(post: SeenPost): void {
    this.#send({ kind: 'post_received', post });
  }

  /** Creates the post, if there is none yet, and returns its id. Throws what the API answers. */
  async create(fallbackTitle: string): Promise<string> {
    if (this.id === undefined) await this.#saveOn({ kind: 'post_requested', fallbackTitle });
    if (this.id === undefined) throw this.#state.problem ?? new Error('Couldn’t create the post. Try again.');
    return this.id;
  }

  /** Saves at once. True if nothing is left unsaved. */
  async flush(): Promise<boolean> {
    await this.#saveOn({ kind: 'save_requested' });
    // Typed, or refused, while that was on its way.
    if (this.hasUnsaved() && this.#state.failures === 0) await this.#saveOn({ kind: 'save_requested' });
    return !this.hasUnsaved();
  }

  retry(): void {
    this.#send({ kind: 'retry_requested' });
  }

  hasUnsaved(): boolean {
    return hasUnsaved(this.#state);
  }

  /** What this browser had kept stays, or the saved text comes back. */
  decideOnRestored(isKept: boolean): void {
    this.#send({ kind: 'restore_answered', isKept });
  }

  /** Where the API has another text by now: the member's own is saved all the same, or the other one is taken. */
  decideOnClash(isMine: boolean): void {
    this.#send({ kind: 'clash_answered', isMine });
  }

  /** The note about changes from elsewhere was read. */
  seeElsewhere(): void {
    this.#send({ kind: 'elsewhere_seen' });
  }

  #takeUp(left: Kept): boolean {
    if (!canTakeUp(this.#state)) return false;
    this.#send({ kind: 'left_text_found', kept: left });
    return true;
  }

  #send(event: DraftEvent): void {
    this.#take(reduce(this.#state, event));
  }

  /** Resolves when the save that the event starts, or joins, has ended. */
  #saveOn(event: DraftEvent): Promise<void> {
    this.#send(event);
    return isBusy(this.#state) ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  #take({ state, effects }: Step): void {
    this.#state = state;
    for (const effect of effects) this.#run(effect);
    if (isBusy(this.#state)) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #run(effect: Effect): void {
    switch (effect.kind) {
      case 'start_timer':
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#send({ kind: 'timer_fired' }), effect.ms);
        return;
      case 'stop_timer':
        return clearTimeout(this.#timer);
      case 'changed':
        return this.#changed();
      case 'choose_account':
        return void this.#chooseAccount();
      case 'create':
        return this.#answer(this.#create(effect.creation));
      case 'update':
        return this.#answer(this.#update(effect.id, effect.change, effect.etag));
      case 'reread':
        return void this.#reread(effect.id);
      case 'created':
        return this.#created(effect.post);
      case 'updated':
        this.#cache(effect.post);
        return void this.#client.invalidateQueries({ queryKey: preflightQuery(effect.post.id).queryKey });
      default:
        return effect satisfies never;
    }
  }

  async #chooseAccount(): Promise<void> {
    const account = await suggestedAccount(this.#client);
    this.#send({ kind: 'account_known', account, key: newId() });
  }

  #create({ key, body: { post_type, ...fields } }: Creation): Promise<SeenPost> {
    const body = { ...bodyOf(fields), post_type };
    return askForPost(api.data('POST', '/api/v1/posts', { body, idempotencyKey: key }));
  }

  async #update(id: string, body: PostChange, etag: string | undefined): Promise<SeenPost> {
    const call = { path: { id }, body, ifMatch: etag };
    const post = await askForPost(api.data('PATCH', '/api/v1/posts/{id}', call));
    // An answer that left before this change was made is out of date.
    await this.#client.cancelQueries({ queryKey: postQuery(id).queryKey, exact: true });
    return post;
  }

  async #reread(id: string): Promise<void> {
    const query = postQuery(id);
    try {
      // What is on its way may be older than the change.
      await this.#client.cancelQueries({ queryKey: query.queryKey, exact: true });
      const post = await this.#client.fetchQuery({ ...query, staleTime: 0, retry: false });
      this.#send({ kind: 'reread', post });
    } catch (error) {
      this.#send(failed(error));
    }
  }

  #answer(saving: Promise<SeenPost>): void {
    saving.then(
      (post) => this.#send({ kind: 'saved', post }),
      (error: unknown) => this.#send(failed(error)),
    );
  }

  #created(post: SeenPost): void {
    keep(this.#person, unborn(this.key), undefined);
    this.#release();
    this.#cache(post);
    this.#onCreated(this, post.id);
  }

  #cache(post: SeenPost): void {
    this.#client.setQueryData(postQuery(post.id).queryKey, post);
    void this.#client.invalidateQueries({ queryKey: queryKeys.postLists });
  }

  #changed(): void {
    const unsaved = unsavedOf(this.#state);
    keep(this.#person, this.id ?? unborn(this.key), unsaved && { at: Date.now(), ...unsaved });
    this.#view = viewOf(this.#state);
    for (const listener of this.#listeners) listener();
  }
}

const LABELS_GONE = 'A label was deleted meanwhile. Choose the labels again.';

const namesLabels = ({ errors }: ApiError): boolean =>
  errors.some(({ pointer }) => pointer.startsWith('/labels'));

function failed(error: unknown): DraftEvent {
  if (!(error instanceof ApiError))
    return { kind: 'failed', status: undefined, problem: error, mistakes: {} };
  const mistakes = FIELDS.flatMap((field) => {
    // A label that was deleted meanwhile is named by its place in the list.
    const said = field === 'labels' && namesLabels(error) ? LABELS_GONE : error.of(field);
    return said === undefined ? [] : [[field, said]];
  });
  return { kind: 'failed', status: error.status, problem: error, mistakes: Object.fromEntries(mistakes) };
}
