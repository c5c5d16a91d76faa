import type { CallOptions, Client } from '../client/client.js';
import { List, type Page, type Position } from '../client/pages.js';
import type { Output, PathOf } from '../client/typed.js';

type EntryOf<P extends PathOf<'GET'>> = Output<'GET', P> extends { data: (infer T)[] } ? T : never;

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
  ): List<EntryOf<P> & { id: string }> {
    type Read = (method: 'GET', path: P, input: object) => Promise<Page<EntryOf<P> & { id: string }>>;
    const read = this.client.request.bind(this.client) as unknown as Read;
    return new List(
      (at) => read('GET', path, { path: more.path, query: { ...query, ...at }, ...options }),
      query,
      more.hasCursor,
    );
  }
}
