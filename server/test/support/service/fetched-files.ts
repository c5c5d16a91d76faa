// Files on the web that a service is asked to fetch, and a worker that fetches only when the test says so.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, before } from 'node:test';
import type { App } from '../../../src/app/app.js';
import { createFetches } from '../../../src/assets/fetch/fetch.js';
import type { Runner } from '../../../src/work/runner.js';
import { close, listen } from '../network/local-server.js';
import { media } from './uploads.js';

export type Responder = (request: IncomingMessage, response: ServerResponse) => void;

/** Settings of a service that may fetch from this machine. */
export const FETCHING = { WEBHOOK_ALLOW: '127.0.0.0/8' };

export interface FileHost {
  /** Returns the URL. A name is that of a file in test/media. */
  serve(path: string, respond: Responder | string): string;
  /** The paths that were requested, in their order. */
  readonly requested: string[];
  /** Fetches everything that is due, to its end. */
  fetchDue(): Promise<void>;
  readonly fetches: Runner;
}

export function useFileHost(app: () => App): FileHost {
  const responders = new Map<string, Responder>();
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url ?? '');
    const respond = responders.get(request.url ?? '') ?? answering(404);
    respond(request, response);
  });
  let origin = '';
  let fetches: Runner;
  before(async () => {
    origin = await listen(server);
    fetches = createFetches(app());
  });
  after(() => close(server));
  return {
    requested,
    get fetches() {
      return fetches;
    },
    serve(path, respond) {
      responders.set(
        path,
        typeof respond === 'string' ? (_, response) => void response.end(media(respond)) : respond,
      );
      return origin + path;
    },
    async fetchDue() {
      for (;;) {
        await fetches.startDue();
        await fetches.idle();
        const due = app()
          .db.read.selectFrom('asset_sources')
          .select('asset_id')
          .where('fetch_at', '<=', app().clock.now());
        if (!(await due.executeTakeFirst())) return;
      }
    },
  };
}

export const answering =
  (status: number): Responder =>
  (_, response) =>
    void response.writeHead(status).end();
