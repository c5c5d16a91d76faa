// Exports: all rows of a kind as one file, streamed from one state of the database.
//
// An export has a connection for as long as its client takes to read it. So an organization has one at a time, a process a few, and
// a client that stops reading loses it.
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../app/app.js';
import { toLogFields } from '../core/log.js';
import { busy } from '../core/problems.js';
import type { Reader } from '../db/database.js';
import { csvLine } from './csv.js';
import { choice } from './schema.js';

const FORMATS = { csv: 'text/csv; charset=utf-8; header=present', ndjson: 'application/x-ndjson' } as const;

export const exportFormat = {
  format: Type.Optional(
    choice(['csv', 'ndjson'], {
      default: 'csv',
      description:
        '`csv`: a line of names, then a line for each row; an apostrophe stands before what a spreadsheet would take for a formula: `=`, `+`, `-` and `@`, also full-width, at the beginning of a text or after a semicolon, tab or line break in it, and tab or carriage return at its beginning. An import removes it. `ndjson`: one JSON object on each line, as in the list.',
    }),
  ),
};

/** The success of an export of these fields, for its route. */
export const exportResponses = (fields: readonly string[]) => ({
  200: {
    description: 'The file',
    content: {
      'text/csv': { schema: Type.String({ examples: [csvLine(fields)] }) },
      'application/x-ndjson': {
        schema: Type.String({ examples: ['{"id":"019a8b1e-6c00-7000-8000-3f2a9c1d7e55"}\n'] }),
      },
    },
  },
});

/** Each of these rows is an object of strings, numbers, booleans, null and lists of strings, with the same fields. */
type Row = Record<string, unknown>;

interface Export {
  orgId: string;
  /** The name of the file, without its extension. */
  name: string;
  format: keyof typeof FORMATS;
  fields: readonly string[];
  /** Writes the audit row of the export. Runs before the file is sent. */
  record: () => Promise<void>;
  /** Reads on behind the last page, whose rows it remembers; an empty page is the end. */
  pages: (read: Reader) => () => Promise<Row[]>;
}

/** How long a client may take to make room for the next page. Postgres waits 30 s. */
const DRAIN_TIMEOUT_MS = 20_000;
/** An open snapshot keeps the database from tidying up. */
const MAX_MS = 15 * 60_000;
const SECONDS = 5;

export async function sendExport(app: App, reply: FastifyReply, spec: Export): Promise<FastifyReply> {
  const { orgId, name, format } = spec;
  const { exporting } = app.state;
  const isTaken = exporting.has(orgId);
  // Refused instead of queued: it is not known how long the client of another one takes.
  if (isTaken || exporting.size >= app.db.capacity.snapshots) throw tooMany(isTaken);
  exporting.add(orgId);
  const file = new PassThrough();
  reply.raw.once('close', () => file.destroy());
  let isSent = false;
  const begun = new Promise<boolean>((begin, fail) => {
    app.db
      .readSnapshot(`export ${orgId}`, async (read) => {
        isSent = true;
        begin(true);
        await write(file, spec, spec.pages(read));
        return true;
      })
      // Before the file ends: a client that has read it may ask for the next one immediately.
      .finally(() => exporting.delete(orgId))
      .then(
        (done) => {
          begin(done !== null);
          file.end();
        },
        (error) => {
          fail(error);
          if (!isSent) return;
          if (!file.destroyed) app.log.warn(toLogFields(error), 'an export ended early');
          // Not by its end: the client notices that the file is not complete.
          reply.raw.destroy();
        },
      );
  });
  if (!(await begun)) throw tooMany(true);
  await spec.record().catch((error) => {
    file.destroy();
    throw error;
  });
  const day = new Date(app.clock.now()).toISOString().slice(0, 10);
  return reply
    .header('content-disposition', `attachment; filename="${name}-${day}.${format}"`)
    .header('cache-control', 'private, no-store')
    .type(FORMATS[format])
    .send(file);
}

const tooMany = (ofOrganization: boolean) =>
  busy(
    ofOrganization
      ? 'Another export of your organization is running. Try again when it has ended.'
      : 'Other exports are running. Try again in a moment.',
    SECONDS,
  );

/** All of the file but its end. */
async function write(file: PassThrough, { format, fields }: Export, next: () => Promise<Row[]>) {
  const giveUpAt = performance.now() + MAX_MS;
  const gone = new AbortController();
  file.once('close', () => gone.abort());
  if (format === 'csv') file.write(csvLine(fields));
  const lineOf =
    format === 'csv'
      ? (row: Row) => csvLine(fields.map((field) => cellOf(row[field])))
      : (row: Row) => `${JSON.stringify(row)}\n`;
  for (let rows = await next(); rows.length > 0 && !gone.signal.aborted; rows = await next()) {
    if (performance.now() > giveUpAt) throw new Error('the client took too long');
    if (!file.write(rows.map(lineOf).join(''))) await waitForDrain(file, gone.signal);
  }
}

async function waitForDrain(file: PassThrough, gone: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([gone, AbortSignal.timeout(DRAIN_TIMEOUT_MS)]);
  await once(file, 'drain', { signal }).catch((error) => {
    if (!gone.aborted) throw new Error('the client stopped reading', { cause: error });
  });
}

const cellOf = (value: unknown) =>
  Array.isArray(value) ? value.join(';') : ((value ?? null) as string | number | boolean | null);
