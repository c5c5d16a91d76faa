import type { CallOptions, Client } from '../client/client.js';
import { List, type Page, type Position } from '../client/pages.js';
import type { Output, PathOf } from '../client/typed.js';

type EntryOf<P extends PathOf<'GET'>> =
  Output<'GET', P> extends { data: (infer T extends object)[] } ? T : never;

/** Something that the API has operations for. */
export class Resource {
  protected readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** A list of which `query` says the first page. */
  protected pages<P extends PathOf<'GET'>>(
    path: P,
    query: Position,
    options: CallOptions | undefined,
    more: { path?: Record<string, string>; hasCursor?: boolean } = {},
  ): List<EntryOf<P>> {
    const read = (at: Position) => ({ path: more.path, query: { ...query, ...at }, ...options });
    return new List((at) => this.#page(path, read(at)), query, more.hasCursor);
  }

  /** A list that takes no parameters: its one page has everything. */
  protected onePage<P extends PathOf<'GET'>>(path: P, options: CallOptions | undefined): List<EntryOf<P>> {
    return new List(() => this.#page(path, { ...options }));
  }

  #page<P extends PathOf<'GET'>>(path: P, input: object): Promise<Page<EntryOf<P>>> {
    const read = this.client.request.bind(this.client) as unknown;
    return (read as (method: 'GET', path: P, input: object) => Promise<Page<EntryOf<P>>>)('GET', path, input);
  }
}
