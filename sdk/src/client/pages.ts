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
export class List<T extends object> implements Promise<Page<T>>, AsyncIterable<T> {
  readonly #read: (position: Position) => Promise<Page<T>>;
  readonly #given: Position;
  readonly #hasCursor: boolean;
  #page: Promise<Page<T>> | undefined;

  constructor(read: (position: Position) => Promise<Page<T>>, given: Position = {}, hasCursor = false) {
    this.#read = read;
    this.#given = given;
    this.#hasCursor = hasCursor;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited as a page
  then<A = Page<T>, B = never>(
    onPage?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#page ??= this.#read({});
    return this.#page.then(onPage, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Page<T> | B> {
    return this.then(null, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<Page<T>> {
    return this.then().finally(onEnd);
  }

  get [Symbol.toStringTag](): string {
    return 'List';
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
