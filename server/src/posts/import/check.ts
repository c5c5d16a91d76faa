// Checks a whole file before anything is written, in slices: other requests are served in between.

import { parseTimestamp } from '../../core/clock.js';
import { AppError, type FieldError, invalid } from '../../core/problems.js';
import { inSlices, type Sliced } from '../../core/slices.js';
import { localTimeIn } from '../../core/time-zones.js';
import type { App } from '../../request/app.js';
import { assertScope, type Caller } from '../../request/caller.js';
import { withoutGuards } from '../../request/csv.js';
import { COLUMNS, type Fields, IGNORED, type MediaRules, type References } from './columns.js';
import { type CsvLine, CsvReader } from './csv.js';
import { nearestColumn } from './nearest-column.js';
import { type PlannedPost, planPost } from './plan.js';
import { type ImportPosts, type ImportProblem, MAX_LINES, MAX_MEDIA, MAX_PROBLEMS } from './schema.js';

export interface CheckedImport {
  posts: PlannedPost[];
  /** How many lines have a post, whether it can be created or not. */
  lines: number;
  scheduled: number;
  media: number;
  problemCount: number;
  /** The first of them. */
  problems: ImportProblem[];
}

/** What a slice pays for a line: its text is folded for searches, and its time may be one that has to be looked for. */
const UNITS_PER_LINE = 40;
const CHARACTERS_PER_UNIT = 64;
const UNITS_PER_ADDRESS = 2;
const UNITS_PER_COLUMN = 20;

/** `gone` aborts when the client is gone; then the check ends, too. */
export async function checkImport(
  app: App,
  caller: Caller,
  input: ImportPosts,
  media: MediaRules,
  gone: AbortSignal,
): Promise<CheckedImport> {
  const known = await loadReferences(app, caller.orgId, input.time_zone ?? 'UTC', media);
  const found = await inSlices(checkLines(app, caller.orgId, input.csv, known), gone);
  if (found.scheduled > 0) assertScope(caller, 'posts:publish', 'Importing scheduled posts');
  return found;
}

function* checkLines(app: App, orgId: string, csv: string, known: References): Sliced<CheckedImport> {
  const found: CheckedImport = {
    posts: [],
    lines: 0,
    scheduled: 0,
    media: 0,
    problemCount: 0,
    problems: [],
  };
  const tell = (line: number, column: string | null, message: string) => {
    found.problemCount++;
    if (found.problems.length < MAX_PROBLEMS) found.problems.push({ line, column, message });
  };
  const reader = new CsvReader(csv);
  const names = yield* readHeader(yield* reader.next(), tell);
  if (names === null) return found;

  const now = app.clock.now();
  for (let line = yield* reader.next(); line !== null; line = yield* reader.next()) {
    if (++found.lines > MAX_LINES)
      throw invalid([{ pointer: '/csv', message: `must have at most ${MAX_LINES} lines after the header` }]);
    const before = found.problemCount;
    const { fields, unread } = readLine(line, names, known, tell);
    const number = line.line;
    const post = planPost(app, orgId, now, fields, known.media.most, (column, message) => {
      // What a cell lacks that could not be read is already told.
      if (!unread.has(column)) tell(number, column, message);
    });
    const addresses = fields.media_urls?.length ?? 0;
    if (fields.status === 'scheduled') found.scheduled++;
    found.media += addresses;
    if (found.media > MAX_MEDIA) throw tooManyMedia();
    if (post && found.problemCount === before) found.posts.push(post);
    const characters = line.cells.reduce((sum, cell) => sum + cell.length, 0);
    yield UNITS_PER_LINE + Math.ceil(characters / CHARACTERS_PER_UNIT) + addresses * UNITS_PER_ADDRESS;
  }
  if (found.lines === 0) tell(1, null, 'is the only line: there is no post below the header');
  return found;
}

const tooManyMedia = () =>
  invalid([
    {
      pointer: '/csv',
      message: `must have at most ${MAX_MEDIA} addresses in media_urls, all lines together`,
    },
  ]);

type ReportProblem = (line: number, column: string | null, message: string) => void;

/** The names of the columns, empty where there is none. Null if the header has a problem. */
function* readHeader(header: CsvLine | null, tell: ReportProblem): Sliced<string[] | null> {
  if (!header) {
    tell(1, null, 'must name the columns');
    return null;
  }
  let isFine = true;
  const fail = (column: string | null, message: string) => {
    isFine = false;
    tell(header.line, column, message);
  };
  if (header.fault) fail(null, `has a cell that ${header.fault.message}`);
  const names = header.cells.map((cell) => cell.trim().toLowerCase());
  const meant = new Set(names);
  for (const [i, name] of names.entries()) {
    if (name === '') continue;
    const shown = name.slice(0, 60);
    yield UNITS_PER_COLUMN;
    if (names.indexOf(name) !== i) fail(shown, 'is there twice');
    else if (!COLUMNS.has(name) && !IGNORED.has(name)) {
      const nearest = nearestColumn(shown);
      // What it means is not also missing.
      const guess = nearest !== null && !meant.has(nearest) ? nearest : null;
      if (guess !== null) meant.add(guess);
      fail(shown, unknownColumn(guess));
    }
  }
  if (!meant.has('title')) fail('title', 'is a required column');
  return isFine ? names : null;
}

const unknownColumn = (guess: string | null) =>
  guess === null
    ? `is an unknown column. The columns are ${[...COLUMNS.keys()].join(', ')}`
    : `is an unknown column. Did you mean “${guess}”?`;

interface ReadLine {
  fields: Fields;
  /** The columns whose cells could not be read. */
  unread: Set<string>;
}

function readLine(
  { line, cells, fault }: CsvLine,
  names: string[],
  known: References,
  tell: ReportProblem,
): ReadLine {
  const unread = new Set<string>();
  if (fault) {
    tell(line, names[fault.cell] || null, fault.message);
    return { fields: {}, unread: new Set(COLUMNS.keys()) };
  }
  const fields: Record<string, unknown> = {};
  for (const [i, cell] of cells.entries()) {
    const name = names[i] ?? '';
    if (IGNORED.has(name) || cell.trim() === '') continue;
    const reading = COLUMNS.get(name)?.(withoutGuards(cell), known);
    if (!reading) tell(line, null, `has text in column ${i + 1}, which the header doesn’t name`);
    else if ('value' in reading) fields[name] = reading.value;
    else {
      unread.add(name);
      // Either of them names the account.
      if (name === 'account') unread.add('social_account_id');
      tell(line, name, reading.problem);
    }
  }
  return { fields, unread };
}

async function loadReferences(
  app: App,
  orgId: string,
  timeZone: string,
  media: MediaRules,
): Promise<References> {
  const toMoment = localTimeIn(timeZone);
  if (toMoment === null)
    throw invalid([{ pointer: '/time_zone', message: 'must be an IANA time zone, such as Europe/Berlin' }]);
  const accounts = await app.db.read
    .selectFrom('social_accounts')
    .select(['id', 'username'])
    .where('org_id', '=', orgId)
    .where('status', '<>', 'disconnected')
    .execute();
  const labels = await app.db.read
    .selectFrom('labels')
    .select(['id', 'name_key'])
    .where('org_id', '=', orgId)
    .execute();
  const accountsByName = new Map<string, string | null>();
  for (const { id, username } of accounts) {
    const name = username.toLowerCase();
    accountsByName.set(name, accountsByName.has(name) ? null : id);
  }
  return {
    accountIds: new Set(accounts.map(({ id }) => id)),
    accountsByName,
    labelIds: new Set(labels.map(({ id }) => id)),
    labelsByName: new Map(labels.map(({ id, name_key }) => [name_key, id])),
    localTime: memoize((text) => toMoment(parseTimestamp(text) as number)),
    timeZone,
    media,
  };
}

/** Finding a local time takes long, and many lines have the same. */
function memoize(read: (text: string) => number | null): (text: string) => number | null {
  const known = new Map<string, number | null>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = read(text);
    known.set(text, found);
    return found;
  };
}

/** How many of the problems an error names; the dry run gives more. */
const MAX_IN_ERROR = 100;

export function assertNoProblems({ problems, problemCount }: CheckedImport): void {
  if (problemCount === 0) return;
  const fields: FieldError[] = problems.slice(0, MAX_IN_ERROR).map(({ line, column, message }) => ({
    pointer: '/csv',
    message: `line ${line}${column === null ? '' : `, ${column}`}: ${message}`,
  }));
  const listed = problemCount > fields.length ? ` The first ${fields.length} are listed.` : '';
  throw new AppError(
    'validation_failed',
    `The CSV has ${problemCount === 1 ? 'a problem' : `${problemCount} problems`}, so nothing was created.${listed} Correct them and send the file again; with dry_run the problems come by line and column.`,
    { fields },
  );
}
