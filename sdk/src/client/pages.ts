// A list: awaited, it is one page; iterated, it is everything.
import type { Pagination } from './schemas.js';

/** One page of a list. */
export interface Page<T> {
  data: T[];
  pagination: Pagination;
  /** Only if `cursor` was sent: the `cursor` of the next page, or null if this is the last. */
  next_cursor?: string | null;
}

/** Which page of a list. */
export interface Position {
  cursor?: string | undefined;
  page?: number | undefined;
  per_page?: number | undefined;
}

const MAX_PER_PAGE = 100;

/** A promise of one page that sends nothing before it is awaited. */
abstract class OnePage<P> implements Promise<P> {
  readonly #read: () => Promise<P>;
  #page: Promise<P> | undefined;

  constructor(read: () => Promise<P>) {
    this.#read = read;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited as a page
  then<A = P, B = never>(
    onPage?: ((page: P) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#page ??= this.#read();
    return this.#page.then(onPage, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<P | B> {
    return this.then(null, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<P> {
    return this.then().finally(onEnd);
  }

  get [Symbol.toStringTag](): string {
    return 'List';
  }
}

/**
 * Nothing is sent before it is awaited or iterated.
 *
 * @example
 * ```ts
 * const { data, pagination } = await airdate.posts.list({ status: 'draft' });
 * console.log(data.length, 'of', pagination.total);
 *
 * for await (const post of airdate.posts.list({ status: 'draft' })) console.log(post.title);
 * ```
 */
export class List<T extends object> extends OnePage<Page<T>> implements AsyncIterable<T> {
  readonly #read: (position: Position) => Promise<Page<T>>;
  readonly #given: Position;
  readonly #hasCursor: boolean;

  constructor(read: (position: Position) => Promise<Page<T>>, given: Position = {}, hasCursor = false) {
    super(() => read({}));
    this.#read = read;
    this.#given = given;
    this.#hasCursor = hasCursor;
  }

  /** From the first, or from the given page or cursor on. What is added meanwhile may be missed, but nothing comes twice in a row. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const { cursor, page: first, per_page = MAX_PER_PAGE } = this.#given;
    const byCursor = cursor !== undefined || (this.#hasCursor && first === undefined);
    let position: Position = byCursor ? { cursor: cursor ?? '', per_page } : { page: first ?? 1, per_page };
    let before = new Set<unknown>();
    for (;;) {
      const { data, pagination, next_cursor } = await this.#read(position);
      // An entry that was added at the front has moved others to this page.
      for (const entry of data) if (!before.has(idOf(entry))) yield entry;
      before = new Set(data.map(idOf));
      if (byCursor && next_cursor) position = { cursor: next_cursor, per_page };
      else if (!byCursor && pagination.page < pagination.total_pages)
        position = { page: pagination.page + 1, per_page };
      else return;
    }
  }
}

/** Entries without an id are in lists of one page. */
const idOf = (entry: object): unknown => ('id' in entry ? entry.id : entry);

/** One page of what happened. */
interface Stretch<T> {
  data: T[];
  has_more: boolean;
}

/** What has happened: awaited, it is one page; iterated, everything up to now. Nothing is sent before. */
export class History<T extends { id: string }> extends OnePage<T[]> implements AsyncIterable<T> {
  readonly #read: (after?: string) => Promise<Stretch<T>>;

  constructor(readPage: () => Promise<T[]>, read: (after?: string) => Promise<Stretch<T>>) {
    super(readPage);
    this.#read = read;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let after: string | undefined; ; ) {
      const { data, has_more } = await this.#read(after);
      yield* data;
      after = data.at(-1)?.id;
      if (!has_more || after === undefined) return;
    }
  }
}
