// One post while it is being written. Lives outside React: saving continues on every screen, one request at a time.
import type { Post } from '@airdate/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { ApiError, api, askFor } from '../api/client.js';
import { meQuery, postQuery, preflightQuery } from '../api/queries.js';
import { newId } from '../uploads/newId.js';
import type { DraftView, Saving } from './draft-view.js';
import { changeOf, creationOf, type Field, type Fields, fieldsOf, UNTITLED } from './fields.js';
import { type Creation, hold, type Kept, keep, kept, offerLeft, unborn } from './keep.js';
import { suggestedAccount } from './suggested-account.js';
import { Texts } from './texts.js';

const PAUSE_MS = 600;
const RETRY_MS = [2_000, 4_000, 8_000, 15_000, 30_000];

const isPassing = ({ status }: ApiError) => status === 0 || status === 429 || status >= 500;

export class Draft {
  /** The same from the first letter to the last, whatever id the post gets meanwhile. */
  readonly key = newId();
  readonly #client: QueryClient;
  readonly #onCreated: (draft: Draft, id: string) => void;
  readonly #listeners = new Set<() => void>();
  readonly #texts: Texts;
  #id: string | undefined;
  #postType: Post['post_type'];
  /** The saved text, while something that this browser had kept stands in its place. */
  #beforeRestore: Fields | undefined;
  #isRestoredNew = false;
  #creation: Creation | undefined;
  readonly #person: string;
  #letGo = () => {};
  /** A file waits for the post to exist. */
  #isWanted = false;
  /** The title that was sent because the API requires one. The writer did not type it, so no field shows it. */
  #fallbackTitle = UNTITLED;
  #inFlight: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  /** The session has ended. */
  #isOver = false;
  #problem: unknown;
  #view: DraftView;

  constructor(
    client: QueryClient,
    onCreated: (draft: Draft, id: string) => void,
    start: Post | Post['post_type'],
  ) {
    this.#client = client;
    this.#onCreated = onCreated;
    const isNew = typeof start === 'string';
    this.#id = isNew ? undefined : start.id;
    this.#postType = isNew ? start : start.post_type;
    this.#texts = new Texts(isNew ? undefined : fieldsOf(start, this.#fallbackTitle));
    this.#person = client.getQueryData(meQuery.queryKey)?.user?.id ?? 'key';
    const found = this.#id && kept(this.#person, this.#id);
    if (found) this.#restore(found);
    this.#view = this.#see();
    if (isNew) {
      this.#letGo = hold(this.#person, this.#name);
      void offerLeft(this.#person, (left) => this.#takeUp(left));
    }
    window.addEventListener('online', () => this.retry());
  }

  view = (): DraftView => this.#view;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get id(): string | undefined {
    return this.#id;
  }

  set(field: Field, text: string): void {
    this.#texts.type(field, text);
    this.#problem = undefined;
    this.#failures = 0;
    this.#schedule(field === 'social_account_id' ? 0 : PAUSE_MS);
    this.#changed();
  }

  /** Only before the post exists: the API cannot change it later. */
  setType(postType: Post['post_type']): void {
    if (this.#id !== undefined || this.#creation || postType === this.#postType) return;
    this.#postType = postType;
    this.#changed();
  }

  focus(field: Field): void {
    this.#texts.focused = field;
  }

  blur(): void {
    this.#texts.focused = undefined;
    const post = this.#id && this.#client.getQueryData<Post>(postQuery(this.#id).queryKey);
    if (post) this.receive(post);
  }

  /** The current state from the API, maybe changed by another member. */
  receive(post: Post): void {
    if (!this.#inFlight && this.#texts.accept(fieldsOf(post, this.#fallbackTitle), {})) this.#changed();
  }

  /** Makes the post, if there is none yet, and returns its id. Throws what the API answers. */
  async create(fallbackTitle: string): Promise<string> {
    if (this.#id === undefined) {
      this.#fallbackTitle = fallbackTitle;
      this.#isWanted = true;
      this.#problem = undefined;
      await this.#save();
    }
    if (this.#id === undefined) throw this.#problem ?? new Error('The post could not be created. Try again.');
    return this.#id;
  }

  /** Saves at once. True if nothing is left unsaved. */
  async flush(): Promise<boolean> {
    await this.#save();
    // Typed, or failed, while that was on its way.
    if (this.hasUnsaved() && this.#failures === 0) await this.#save();
    return !this.hasUnsaved();
  }

  retry(): void {
    if (!this.hasUnsaved()) return;
    this.#problem = undefined;
    this.#texts.forgetRefusals();
    void this.#save();
  }

  hasUnsaved(): boolean {
    return this.#isWanted || this.#creation !== undefined || Object.keys(this.#texts.unsaved()).length > 0;
  }

  /** What this browser had kept stays, or the saved text comes back. */
  decideOnRestored(isKept: boolean): void {
    if (!isKept && this.#beforeRestore) this.#texts.swap(this.#beforeRestore);
    this.#beforeRestore = undefined;
    this.#schedule(0);
    this.#changed();
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#save(), ms);
  }

  #save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#inFlight ??= this.#saveAll().finally(() => {
      this.#inFlight = undefined;
      this.#changed();
    });
    return this.#inFlight;
  }

  /** Until nothing is left that could be saved: typing goes on meanwhile. */
  async #saveAll(): Promise<void> {
    await Promise.resolve();
    while (!this.#isOver) {
      const names = this.#texts.saveable();
      const mustCreate = this.#id === undefined && (this.#isWanted || this.#creation || names.length > 0);
      if (!mustCreate && (this.#id === undefined || names.length === 0)) return;
      this.#changed();
      try {
        await (this.#id === undefined ? this.#createOnce(names) : this.#patch(this.#id, names));
        this.#failures = 0;
        this.#problem = undefined;
      } catch (error) {
        if (!this.#takeRefusal(error, names)) return;
      }
      // The writer is still typing: wait for the pause after the last letter.
      if (this.#timer !== undefined) return;
    }
  }

  async #createOnce(names: Field[]): Promise<void> {
    const account = await suggestedAccount(this.#client);
    // The same body under the same key until it is answered: two posts must not come of a lost answer.
    this.#creation ??= {
      key: newId(),
      names,
      body: {
        ...account,
        ...creationOf(this.#texts.now, names, this.#fallbackTitle),
        post_type: this.#postType,
      },
    };
    const { key, body, names: sent } = this.#creation;
    this.#changed();
    const post = await askFor(
      api.POST('/api/v1/posts', { body, params: { header: { 'Idempotency-Key': key } } }),
    );
    keep(this.#person, this.#name, undefined);
    this.#letGo();
    this.#creation = undefined;
    this.#isWanted = false;
    this.#id = post.id;
    this.#accept(post, body, sent);
    this.#onCreated(this, post.id);
  }

  async #patch(id: string, names: Field[]): Promise<void> {
    const { now } = this.#texts;
    const post = await askFor(
      api.PATCH('/api/v1/posts/{id}', { params: { path: { id } }, body: changeOf(now, names) }),
    );
    // An answer that left before this change was made is out of date.
    await this.#client.cancelQueries({ queryKey: postQuery(id).queryKey, exact: true });
    this.#accept(post, now, names);
    void this.#client.invalidateQueries({ queryKey: preflightQuery(id).queryKey });
  }

  #accept(post: Post, sent: Partial<Fields>, names: Field[]): void {
    this.#texts.accept(
      fieldsOf(post, this.#fallbackTitle),
      Object.fromEntries(names.map((name) => [name, sent[name] ?? ''])),
    );
    this.#client.setQueryData(postQuery(post.id).queryKey, post);
    void this.#client.invalidateQueries({ queryKey: ['posts', 'list'] });
  }

  /** True if only some fields were refused: the others can still be saved. */
  #takeRefusal(error: unknown, names: Field[]): boolean {
    this.#problem = error;
    if (!(error instanceof ApiError)) return false;
    if (isPassing(error)) {
      this.#schedule(RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)] ?? 0);
      this.#failures += 1;
      return false;
    }
    // Unsaved text is kept for its writer. The next person who signs in may be another one, and gets their own page.
    if (error.status === 401) {
      this.#isOver = true;
      return false;
    }
    this.#creation = undefined;
    const isByField = this.#texts.refuse(error, names);
    if (isByField) this.#problem = undefined;
    else this.#isWanted = false;
    return isByField;
  }

  get #name(): string {
    return this.#id ?? unborn(this.key);
  }

  /** Text of a new post from a closed tab. Not taken when the writer has already typed here. */
  #takeUp(left: Kept): boolean {
    if (this.#id !== undefined || this.hasUnsaved()) return false;
    this.#restore(left);
    this.#changed();
    return true;
  }

  #restore({ fields, postType, creation }: Kept): void {
    const before = this.#texts.swap(fields);
    this.#creation = creation;
    if (this.#id === undefined && postType) this.#postType = postType;
    if (!this.hasUnsaved()) return;
    this.#beforeRestore = before;
    this.#isRestoredNew = this.#id === undefined;
    this.#schedule(0);
  }

  #changed(): void {
    const fields = this.#texts.unsaved();
    const isUnsaved = Object.keys(fields).length > 0 || this.#creation !== undefined;
    const creation = this.#creation ? { creation: this.#creation } : {};
    const text = { at: Date.now(), fields, postType: this.#postType, ...creation };
    keep(this.#person, this.#name, isUnsaved ? text : undefined);
    this.#view = this.#see();
    for (const listener of this.#listeners) listener();
  }

  #see(): DraftView {
    const mistakes = this.#texts.mistakes();
    return {
      id: this.#id,
      postType: this.#postType,
      fields: this.#texts.now,
      saving: this.#savingNow(Object.keys(mistakes).length > 0),
      problem: this.#problem,
      mistakes,
      restored: this.#beforeRestore && (this.#isRestoredNew ? 'new' : 'changed'),
    };
  }

  #savingNow(hasMistakes: boolean): Saving {
    if (this.#problem !== undefined) return this.#failures > 0 ? 'unreachable' : 'refused';
    const isBusy = this.#inFlight !== undefined || this.#timer !== undefined;
    if (this.hasUnsaved()) return hasMistakes && !isBusy ? 'held' : 'saving';
    return this.#id === undefined ? 'untouched' : 'saved';
  }
}
