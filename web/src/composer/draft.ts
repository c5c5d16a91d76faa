// One post while a member writes it. It lives outside React, so saving goes on whatever is on the screen. What happens
// when is decided in draft-reduce.ts; this carries it out: requests, the timer, and what this browser keeps.

import type { Post } from '@airdate/sdk/core';
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ApiError, api, askForPost, type PostWithEtag } from '../api/client.js';
import { newId } from '../api/idempotency-keys.js';
import { accountsQuery, meQuery, postQuery, refreshQueries } from '../api/queries.js';
import { queryKeys } from '../api/query-keys.js';
import { onSessionLost } from '../api/session.js';
import { begin, reduce } from './draft-reduce.js';
import {
  type DraftEvent,
  type DraftState,
  type DraftView,
  hasUnsaved,
  type PostType,
  type Request,
  unsavedOf,
  viewOf,
} from './draft-state.js';
import { bodyOf, changeOf, FIELDS, type Field, onlyAccount } from './fields.js';
import {
  type Creation,
  loadUnsaved,
  lockUntilClosed,
  newPostKey,
  offerAbandonedText,
  saveUnsaved,
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
    start: PostWithEtag | PostType,
  ) {
    this.#client = client;
    this.#onCreated = onCreated;
    this.#person = client.getQueryData(meQuery.queryKey)?.user?.id ?? 'key';
    const isNew = typeof start === 'string';
    this.isNew = isNew;
    this.#state = begin(start, isNew ? undefined : loadUnsaved(this.#person, start.id));
    this.#view = viewOf(this.#state);
    this.#runTimer();
    if (isNew) {
      this.#release = lockUntilClosed(this.#person, newPostKey(this.key));
      void offerAbandonedText(this.#person, (left) => this.send({ kind: 'abandoned_text_found', left }));
    }
    window.addEventListener('online', () => this.retry());
    onSessionLost((problem) => this.send({ kind: 'session_lost', problem }));
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
    this.send({ kind: 'typed', field, text });
  }

  blur(): void {
    this.send({ kind: 'focused', field: undefined });
    const post = this.id && this.#client.getQueryData<PostWithEtag>(postQuery(this.id).queryKey);
    if (post) this.receive(post);
  }

  /** What the API says now, maybe changed by another member. */
  receive(post: PostWithEtag): void {
    this.send({ kind: 'post_received', post });
  }

  /** Creates the post, if there is none yet, and returns its id. Throws what the API answers. */
  async create(fallbackTitle: string): Promise<string> {
    if (this.id === undefined) await this.#saveOn({ kind: 'post_requested', fallbackTitle });
    if (this.id === undefined) throw this.#state.problem ?? new Error('Couldn’t create the post. Try again.');
    return this.id;
  }

  /** Saves without waiting for the timer. True if nothing is left unsaved. */
  async flush(): Promise<boolean> {
    await this.#saveOn({ kind: 'save_requested' });
    // Typed, or refused, while that was on its way.
    if (this.hasUnsaved() && this.#state.failures === 0) await this.#saveOn({ kind: 'save_requested' });
    return !this.hasUnsaved();
  }

  retry(): void {
    this.send({ kind: 'retry_requested' });
  }

  hasUnsaved(): boolean {
    return hasUnsaved(this.#state);
  }

  /** Resolves when the save that the event starts, or joins, has ended. */
  #saveOn(event: DraftEvent): Promise<void> {
    this.send(event);
    return this.#state.request ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  /** Whether the event has changed anything. */
  send(event: DraftEvent): boolean {
    const before = this.#state;
    this.#state = reduce(before, event);
    const { request, timer } = this.#state;
    if (this.#state === before) return false;
    if (timer !== before.timer) this.#runTimer();
    // First: the browser keeps what a request sends.
    this.#show();
    if (request && request !== before.request) void this.#perform(request);
    if (!request) for (const resolve of this.#waiting.splice(0)) resolve();
    return true;
  }

  #runTimer(): void {
    clearTimeout(this.#timer);
    const { timer } = this.#state;
    if (timer) this.#timer = setTimeout(() => this.send({ kind: 'timer_fired' }), timer.ms);
  }

  #show(): void {
    const unsaved = unsavedOf(this.#state);
    const which = this.id ?? newPostKey(this.key);
    saveUnsaved(this.#person, which, unsaved && { at: Date.now(), ...unsaved });
    this.#view = viewOf(this.#state);
    for (const listener of this.#listeners) listener();
  }

  async #perform(request: Request): Promise<void> {
    const answer = await this.#ask(request).catch(failureOf);
    this.send(answer);
    if (answer.kind === 'saved') this.#storePost(answer.post, request.kind === 'create');
  }

  async #ask(request: Request): Promise<DraftEvent> {
    switch (request.kind) {
      case 'find_account':
        return { kind: 'account_found', account: await this.#suggestAccount(), key: newId() };
      case 'create':
        return { kind: 'saved', post: await this.#create(request.creation) };
      case 'update':
        return { kind: 'saved', post: await this.#update(request) };
      case 'reread':
        return { kind: 'reread', post: await this.#reread(request.id) };
      default:
        return request satisfies never;
    }
  }

  /** With its own hashtags. Waits for the accounts, so that a fast typist gets the same suggestion. */
  async #suggestAccount() {
    const accounts = await this.#client.ensureQueryData({ ...accountsQuery, retry: false }).catch(() => []);
    const only = onlyAccount(accounts);
    return only ? { social_account_id: only.id, hashtags: only.default_hashtags ?? '' } : {};
  }

  #create({ key, body: { post_type, ...fields } }: Creation) {
    const body = { ...bodyOf(fields), post_type };
    return askForPost(api.data('POST', '/api/v1/posts', { body, idempotencyKey: key }));
  }

  async #update({ id, sent, etag }: Extract<Request, { kind: 'update' }>): Promise<PostWithEtag> {
    const body = changeOf(sent, Object.keys(sent) as Field[]);
    const call = { path: { id }, body, ifMatch: etag };
    const post = await askForPost(api.data('PATCH', '/api/v1/posts/{id}', call));
    // An answer that left before this change was made is out of date.
    await this.#client.cancelQueries({ queryKey: postQuery(id).queryKey, exact: true });
    return post;
  }

  async #reread(id: string): Promise<PostWithEtag> {
    const query = postQuery(id);
    // What is on its way may be older than the change.
    await this.#client.cancelQueries({ queryKey: query.queryKey, exact: true });
    return this.#client.fetchQuery({ ...query, staleTime: 0, retry: false });
  }

  #storePost(post: PostWithEtag, isNew: boolean): void {
    this.#client.setQueryData(postQuery(post.id).queryKey, post);
    void refreshQueries(this.#client, queryKeys.postLists);
    if (!isNew) return void this.#client.invalidateQueries({ queryKey: queryKeys.preflight(post.id) });
    saveUnsaved(this.#person, newPostKey(this.key), undefined);
    this.#release();
    this.#onCreated(this, post.id);
  }
}

const LABELS_GONE = 'A label was deleted meanwhile. Choose the labels again.';

const namesLabels = ({ errors }: ApiError): boolean =>
  errors.some(({ pointer }) => pointer.startsWith('/labels'));

function failureOf(error: unknown): DraftEvent {
  if (!(error instanceof ApiError))
    return { kind: 'failed', status: undefined, problem: error, mistakes: {} };
  const mistakes = FIELDS.flatMap((field) => {
    // A label that was deleted meanwhile is named by its place in the list.
    const said = field === 'labels' && namesLabels(error) ? LABELS_GONE : error.of(field);
    return said === undefined ? [] : [[field, said]];
  });
  return { kind: 'failed', status: error.status, problem: error, mistakes: Object.fromEntries(mistakes) };
}

// The open drafts of this tab, one for each post, so that typed text is still there when the writer returns.
const open = new Map<string, Draft>();

const remember = (draft: Draft, id: string) => void open.set(id, draft);

let newest: Draft | undefined;

/** The draft of a post that does not exist yet. There is one at a time, or the same text could become two posts. */
export function newDraft(client: QueryClient, type: Post['post_type']): Draft {
  if (newest?.id !== undefined) newest = undefined;
  if (newest && !newest.hasUnsaved()) newest.send({ kind: 'type_chosen', postType: type });
  newest ??= new Draft(client, remember, type);
  return newest;
}

export const openDraft = (id: string): Draft | undefined => open.get(id);

export function draftOf(client: QueryClient, post: PostWithEtag): Draft {
  let draft = open.get(post.id);
  if (!draft) {
    draft = new Draft(client, remember, post);
    open.set(post.id, draft);
  }
  return draft;
}

export const useDraft = (draft: Draft): DraftView => useSyncExternalStore(draft.subscribe, draft.view);
