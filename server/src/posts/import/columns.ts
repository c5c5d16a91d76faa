// The columns of an import: how a cell becomes a field of a post. Limits and choices are those of a request for a single post.
import { parseTimestamp } from '../../core/clock.js';
import { closest } from '../../core/closest.js';
import { asUuid } from '../../core/ids.js';
import type { LocalTime } from '../../core/time-zones.js';
import { MAX_LABELS_OF_POST } from '../labels/schema.js';
import { CreatePost, UpdatePost } from '../schema.js';
import { TOGGLES } from '../toggles.js';
import type { ImportLabels } from './labels.js';
import { type CellProblem, short } from './problems.js';

/** What a line says. A field whose cell is empty is absent. */
export interface LineFields extends Omit<UpdatePost, 'scheduled_at' | 'options'> {
  post_type?: 'slides' | 'video';
  /** Milliseconds since 1970. */
  scheduled_at?: number;
  /** The id of the account that `account` names. */
  account?: string;
  media_urls?: string[];
}

/** How many files a post may have, by its type. */
export type MaxFiles = Record<'slides' | 'video', number>;

/** What cells refer to. */
export interface References {
  /** Ids of the accounts that can be used. */
  accountIds: ReadonlySet<string>;
  /** The ids of the accounts, by user name in lower case; null: several have it. */
  accountsByName: ReadonlyMap<string, string | null>;
  labels: ImportLabels;
  /** Null if the request names no time zone. */
  localTimes: { timeZone: string; read(text: string): LocalTime } | null;
  /** Why no file is ever fetched from this address. Null: one may be. */
  refusalOf(url: string): string | null;
  maxFiles: MaxFiles;
}

/** A value, or what is wrong with the cell. */
export type Reading = { value: unknown; isLocalTime?: boolean } | { problems: CellProblem[] };
type CellReader = (cell: string, known: References) => Reading;

/** How many entries a list in one cell may have. Checked before any of them is read. */
export const MAX_ENTRIES = 1_000;

const value = (of: unknown): Reading => ({ value: of });
const problem = (message: string, more: Partial<CellProblem> = {}): Reading => ({
  problems: [{ message, ...more }],
});

interface Rule {
  type: string | string[];
  enum?: (string | null)[];
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

function bySchema(rule: Rule): CellReader {
  if (rule.enum) {
    const words = rule.enum.filter((word) => word !== null);
    const message = `must be one of ${words.join(', ')}`;
    return (cell) =>
      words.includes(cell.trim()) ? value(cell.trim()) : problem(message, { suggestions: words });
  }
  switch ([rule.type].flat()[0]) {
    case 'boolean':
      // Spreadsheets write these words in capitals.
      return (cell) => {
        const word = cell.trim().toLowerCase();
        return word === 'true' || word === 'false'
          ? value(word === 'true')
          : problem('must be true or false');
      };
    case 'integer': {
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = rule;
      return (cell) => {
        const number = /^\d{1,15}$/.test(cell.trim()) ? Number(cell) : Number.NaN;
        return number >= minimum && number <= maximum
          ? value(number)
          : problem(`must be a whole number from ${minimum} to ${maximum}`);
      };
    }
    default: {
      const { maxLength = Number.POSITIVE_INFINITY } = rule;
      return (cell) =>
        cell.length <= maxLength || [...cell].length <= maxLength
          ? value(cell)
          : problem(`must have at most ${maxLength} characters`);
    }
  }
}

const ruleOf = (name: keyof UpdatePost) => UpdatePost.properties[name] as unknown as Rule;

const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)[ Tt](\d\d:\d\d(?::\d\d)?)$/;

const scheduledAt: CellReader = (cell, { localTimes }) => {
  const text = cell.trim();
  const at = parseTimestamp(text.replace(' ', 'T'));
  if (at !== null) return value(at);
  const [, date, time] = LOCAL_TIME.exec(text) ?? [];
  // Checks that there is such a day and hour, wherever that is.
  if (date === undefined || time === undefined || parseTimestamp(`${date}T${time}Z`) === null)
    return problem('must be a date and time such as 2030-12-01 18:00 or 2030-12-01T18:00:00Z');
  if (localTimes === null) return problem(NO_ZONE, { key: NO_ZONE, parameter: 'time_zone' });
  const local = localTimes.read(`${date}T${time}Z`);
  if ('at' in local) return { value: local.at, isLocalTime: true };
  const { isSkipped, instead: suggestions } = local;
  const { timeZone } = localTimes;
  const message = isSkipped
    ? `does not exist in ${timeZone}, where clocks go forward at that time; write another, such as ${suggestions[0]}`
    : `occurs twice in ${timeZone}, where clocks go back at that time; write ${suggestions[0]} for the first, or ${suggestions[1]}`;
  return problem(message, { suggestions });
};

const NO_ZONE =
  'has no time zone; send time_zone for the whole file, such as Europe/Berlin, or write an offset, such as 2030-12-01T18:00:00+01:00';

const accountId: CellReader = (cell, { accountIds }) => {
  const id = asUuid(cell.trim());
  return id !== null && accountIds.has(id)
    ? value(id)
    : problem('is not a connected account of your organization');
};

const accountName: CellReader = (cell, { accountsByName }) => {
  const id = accountsByName.get(cell.trim().replace(/^@/, '').toLowerCase());
  if (id === undefined) return problem('is not the user name of a connected account of your organization');
  return id === null ? problem('names several accounts; use social_account_id') : value(id);
};

const labels: CellReader = (cell, { labels: known }) => {
  const parts = cell.split(/[,;\n]/, MAX_ENTRIES + 1);
  if (parts.length > MAX_ENTRIES) return problem(`must have at most ${MAX_ENTRIES} entries`);
  // A name may contain a comma.
  const whole = known.idOf(cell);
  if (whole !== undefined) return value([whole]);
  const ids = new Set<string>();
  const problems: CellProblem[] = [];
  for (const part of parts.map((text) => text.trim()).filter((text) => text !== '')) {
    const id = known.idOf(part) ?? known.create(part);
    if (typeof id === 'string') ids.add(id);
    else problems.push(id);
  }
  if (problems.length > 0) return { problems };
  return ids.size <= MAX_LABELS_OF_POST
    ? value([...ids])
    : problem(`must have at most ${MAX_LABELS_OF_POST} labels`);
};

const mediaUrls: CellReader = (cell, { refusalOf }) => {
  const urls = cell.trim().split(/\s+/, MAX_ENTRIES + 1);
  if (urls.length > MAX_ENTRIES) return problem(`must have at most ${MAX_ENTRIES} addresses`);
  for (const url of urls) {
    const refusal = refusalOf(url);
    if (refusal !== null) return problem(`${short(url)} ${refusal}`);
  }
  return value(urls);
};

/** By name, with what reads a cell that is not empty. The order is that of the documentation. */
export const COLUMNS: ReadonlyMap<string, CellReader> = new Map<keyof LineFields, CellReader>([
  ['title', bySchema(ruleOf('title'))],
  ['post_type', bySchema(CreatePost.properties.post_type as unknown as Rule)],
  ['caption', bySchema(ruleOf('caption'))],
  ['hashtags', bySchema(ruleOf('hashtags'))],
  ['media_urls', mediaUrls],
  ['status', bySchema(ruleOf('status'))],
  ['scheduled_at', scheduledAt],
  ['account', accountName],
  ['social_account_id', accountId],
  ['privacy_level', bySchema(ruleOf('privacy_level'))],
  ['publish_mode', bySchema(ruleOf('publish_mode'))],
  ...TOGGLES.map((name) => [name, bySchema(ruleOf(name))] as const),
  ['labels', labels],
  ['cover_index', bySchema(ruleOf('cover_index'))],
  ['cover_ms', bySchema(ruleOf('cover_ms'))],
]);

const NAMES = [...COLUMNS.keys()];

/** Which column a misspelt name means; null if none is close. In the names that people give to columns, spaces and dashes stand for `_`. */
export const nearestColumn = (name: string): string | null =>
  closest(name.replace(/[\s-]+/g, '_'), NAMES) ?? null;

/** Columns of an export that a new post cannot have; their cells are ignored. */
export const IGNORED: ReadonlySet<string> = new Set([
  'id',
  'org_id',
  'last_slot',
  'posted_at',
  'publish_retries',
  'in_inbox',
  'last_publish_error',
  'created_at',
  'updated_at',
]);
