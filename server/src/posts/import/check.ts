// Checks a whole file before anything is written, in slices: other requests are served in between.
import { accountsInUse } from '../../accounts/accounts.js';
import type { App } from '../../app/app.js';
import { parseTimestamp } from '../../core/clock.js';
import { invalid } from '../../core/problems.js';
import { inSlices, type Sliced } from '../../core/slices.js';
import { localTimeIn } from '../../core/time-zones.js';
import { assertScope, type Caller } from '../../request/caller.js';
import { withoutGuards } from '../../request/csv.js';
import { PRIVACY_LEVELS } from '../schema.js';
import {
  COLUMNS,
  IGNORED,
  type LineFields,
  type MaxFiles,
  nearestColumn,
  type References,
} from './columns.js';
import { type CsvLine, CsvReader } from './csv.js';
import { importLabels, type NewLabel } from './labels.js';
import { type PlannedPost, planPost } from './plan.js';
import { type CellProblem, ImportProblems } from './problems.js';
import { type ImportPosts, type ImportProblem, MAX_LINES, MAX_MEDIA } from './schema.js';

export interface CheckedImport {
  posts: PlannedPost[];
  /** How many lines have a post, whether it can be created or not. */
  lines: number;
  scheduled: number;
  media: number;
  /** How many times were read in the time zone of the request. */
  localTimes: number;
  newLabels: NewLabel[];
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
  maxFiles: MaxFiles,
  gone: AbortSignal,
): Promise<CheckedImport> {
  const known = await loadReferences(app, caller.orgId, input, maxFiles);
  const lines = checkLines(app, caller.orgId, input, known);
  const found = await inSlices(lines, gone);
  if (found.scheduled > 0) assertScope(caller, 'posts:publish', 'Importing scheduled posts');
  return found;
}

function* checkLines(app: App, orgId: string, input: ImportPosts, known: References): Sliced<CheckedImport> {
  const counts = { lines: 0, scheduled: 0, media: 0, localTimes: 0 };
  const posts: PlannedPost[] = [];
  const problems = new ImportProblems();
  const reader = new CsvReader(input.csv);
  const header = yield* readHeader(yield* reader.next(), problems);
  const now = app.clock.now();
  for (let line = header && (yield* reader.next()); header && line; line = yield* reader.next()) {
    if (++counts.lines > MAX_LINES)
      throw invalid([{ pointer: '/csv', message: `must have at most ${MAX_LINES} lines after the header` }]);
    const before = problems.count;
    const { fields, unread, hasTime, isLocalTime } = readLine(line, header, known, problems);
    const number = line.line;
    if (hasTime && fields.status === undefined && !unread.has('status')) {
      if (input.default_status) fields.status = input.default_status;
      else problems.tell(number, 'status', NO_STATUS);
    }
    const post = planPost(app, orgId, now, fields, known.maxFiles, (column, message) => {
      // What a cell lacks that could not be read is already told.
      if (!unread.has(column)) tellPlanned(problems, number, header.names, column, message, known);
    });
    const addresses = fields.media_urls?.length ?? 0;
    if (fields.status === 'scheduled') counts.scheduled++;
    if (isLocalTime) counts.localTimes++;
    counts.media += addresses;
    if (counts.media > MAX_MEDIA) throw tooManyMedia();
    if (post && problems.count === before) posts.push(post);
    const characters = line.cells.reduce((sum, cell) => sum + cell.length, 0);
    yield UNITS_PER_LINE + Math.ceil(characters / CHARACTERS_PER_UNIT) + addresses * UNITS_PER_ADDRESS;
  }
  if (header && counts.lines === 0)
    problems.tell(1, null, { message: 'is the only line: there is no post below the header' });
  return {
    posts,
    ...counts,
    newLabels: known.labels.created,
    problemCount: problems.count,
    problems: problems.list(),
  };
}

const NO_STATUS: CellProblem = {
  key: 'missing',
  message:
    'is required with a time; send default_status for the whole file: scheduled publishes the posts at their times, draft only keeps the times',
  parameter: 'default_status',
  suggestions: ['scheduled', 'draft'],
};

/** What many lines lack alike is told once: a column that the file does not have, the account and the privacy level. */
function tellPlanned(
  problems: ImportProblems,
  line: number,
  names: readonly (string | null)[],
  column: string,
  message: string,
  { accountIds, accountsByName }: References,
): void {
  const ofFile = { key: message, message };
  if (column === 'privacy_level')
    problems.tell(line, column, { ...ofFile, suggestions: [...PRIVACY_LEVELS] });
  else if (column !== 'social_account_id')
    problems.tell(line, column, names.includes(column) ? { message } : ofFile);
  else if (names.includes(column) && !names.includes('account'))
    problems.tell(line, column, { ...ofFile, suggestions: [...accountIds].slice(0, MAX_SUGGESTED) });
  else {
    const known = [...accountsByName].flatMap(([name, id]) => (id === null ? [] : [name]));
    problems.tell(line, 'account', { ...ofFile, suggestions: known.slice(0, MAX_SUGGESTED) });
  }
}

const MAX_SUGGESTED = 10;

const tooManyMedia = () =>
  invalid([
    {
      pointer: '/csv',
      message: `must have at most ${MAX_MEDIA} addresses in media_urls, all lines together`,
    },
  ]);

interface Header {
  /** The names of the columns, in their order: empty where there is none, null where one cannot be read. */
  names: (string | null)[];
  /** Columns that lines seem to lack because they cannot be read: what they lack is not told. */
  unread: string[];
}

/** Null if it cannot be told which cell is whose. */
function* readHeader(header: CsvLine | null, problems: ImportProblems): Sliced<Header | null> {
  if (!header) {
    problems.tell(1, null, { message: 'must name the columns' });
    return null;
  }
  if (header.fault) {
    problems.tell(header.line, null, { message: `has a cell that ${header.fault.message}` });
    return null;
  }
  const given = header.cells.map((cell) => cell.trim().toLowerCase());
  const meant = new Set(given);
  const names: Header['names'] = [];
  const unread: string[] = [];
  for (const [i, name] of given.entries()) {
    const shown = name.slice(0, 60);
    const isDoubled = given.indexOf(name) !== i;
    const isKnown = name === '' || COLUMNS.has(name) || IGNORED.has(name);
    names.push(name === '' || (isKnown && !isDoubled) ? name : null);
    if (name === '') continue;
    yield UNITS_PER_COLUMN;
    if (isDoubled) problems.tell(header.line, shown, { message: 'is there twice' });
    else if (!isKnown) {
      const nearest = nearestColumn(shown);
      // What it means is not also missing.
      const guess = nearest !== null && !meant.has(nearest) ? nearest : null;
      if (guess !== null) {
        meant.add(guess);
        unread.push(guess);
      }
      problems.tell(header.line, shown, unknownColumn(guess));
    }
  }
  if (!meant.has('title')) {
    unread.push('title');
    problems.tell(header.line, 'title', { message: 'is a required column' });
  }
  return { names, unread: withTwins(unread) };
}

/** Two columns can name the account: if one of them cannot be read, lines do not seem to lack the other. */
const withTwins = (columns: string[]) =>
  columns.some((name) => name === 'account' || name === 'social_account_id')
    ? [...columns, 'account', 'social_account_id']
    : columns;

const unknownColumn = (guess: string | null): CellProblem =>
  guess === null
    ? { message: `is an unknown column. The columns are ${[...COLUMNS.keys()].join(', ')}` }
    : { message: `is an unknown column. Did you mean “${guess}”?`, suggestions: [guess] };

interface ReadLine {
  fields: LineFields;
  /** The columns whose cells could not be read. */
  unread: Set<string>;
  /** Whether it can be read or not. */
  hasTime: boolean;
  isLocalTime: boolean;
}

function readLine(
  { line, cells, fault }: CsvLine,
  { names, unread: unreadColumns }: Header,
  known: References,
  problems: ImportProblems,
): ReadLine {
  if (fault) {
    problems.tell(line, names[fault.cell] || null, { message: fault.message });
    return { fields: {}, unread: new Set(COLUMNS.keys()), hasTime: false, isLocalTime: false };
  }
  const unread = new Set(unreadColumns);
  const fields: Record<string, unknown> = {};
  let isLocalTime = false;
  for (const [i, cell] of cells.entries()) {
    const name = names[i] === undefined ? '' : names[i];
    if (name === null || IGNORED.has(name) || cell.trim() === '') continue;
    const reading = COLUMNS.get(name)?.(withoutGuards(cell), known);
    if (!reading)
      problems.tell(line, null, { message: `has text in column ${i + 1}, which the header doesn’t name` });
    else if ('value' in reading) {
      fields[name] = reading.value;
      isLocalTime ||= reading.isLocalTime === true;
    } else {
      for (const column of withTwins([name])) unread.add(column);
      for (const one of reading.problems) problems.tell(line, name, one);
    }
  }
  const hasTime =
    fields.scheduled_at !== undefined ||
    (unread.has('scheduled_at') && !unreadColumns.includes('scheduled_at'));
  return { fields, unread, hasTime, isLocalTime };
}

async function loadReferences(
  app: App,
  orgId: string,
  { time_zone: timeZone, create_labels: mayCreate = false }: ImportPosts,
  maxFiles: MaxFiles,
): Promise<References> {
  const readLocal = timeZone === undefined ? undefined : localTimeIn(timeZone);
  if (readLocal === null)
    throw invalid([{ pointer: '/time_zone', message: 'must be an IANA time zone, such as Europe/Berlin' }]);
  const accounts = await accountsInUse(app.db.read, orgId).select(['id', 'username']).execute();
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
    labels: importLabels(labels, mayCreate, app.newId),
    localTimes:
      timeZone && readLocal
        ? { timeZone, read: memoize((text) => readLocal(parseTimestamp(text) as number)) }
        : null,
    refusalOf: (url) => app.outbound.refusal(url),
    maxFiles,
  };
}

/** Finding a local time takes long, and many lines have the same. */
function memoize<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = read(text);
    known.set(text, found);
    return found;
  };
}
