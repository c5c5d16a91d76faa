// What the URL of each screen may say after its `?`, as one schema per screen. Whatever does not fit is left out.
import type { Dispatch } from '@airdate/sdk/core';

/** Reads one parameter: undefined if it is absent, or not what the screen understands. */
type Param<T> = (value: unknown) => T | undefined;
type Schema = Readonly<Record<string, Param<unknown>>>;

export type SearchOf<S extends Schema> = { [K in keyof S]?: NonNullable<ReturnType<S[K]>> };

/** For the router. Absent parameters are left out: URLs stay short, and types exact. */
export const searchBy =
  <S extends Schema>(schema: S) =>
  (search: Readonly<Record<string, unknown>>): SearchOf<S> =>
    Object.fromEntries(
      Object.entries(schema).flatMap(([name, read]) => {
        const value = read(search[name]);
        return value === undefined ? [] : [[name, value]];
      }),
    ) as SearchOf<S>;

const text: Param<string> = (value) => (typeof value === 'string' && value !== '' ? value : undefined);
const flag: Param<true> = (value) => value === true || undefined;
/** The first page needs no parameter. */
const page: Param<number> = (value) =>
  Number.isSafeInteger(Number(value)) && Number(value) > 1 ? Number(value) : undefined;

/** "2026-12-01", in the viewer's zone. */
const day: Param<string> = (value) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(value) &&
  !Number.isNaN(Date.parse(`${value}T00:00:00`))
    ? value
    : undefined;

const oneOf =
  <const T extends string | number>(...values: T[]): Param<T> =>
  (value) =>
    values.find((one) => String(one) === String(value));

const OUTCOMES = ['started', 'accepted', 'published', 'in_inbox', 'failed', 'unknown'] as const;
OUTCOMES satisfies readonly Dispatch['outcome'][];

export const LIBRARY = {
  status: oneOf('draft', 'scheduled', 'publishing', 'in_inbox', 'posted', 'archived'),
  type: oneOf('slides', 'video'),
  account: text,
  label: text,
  sort: oneOf('-created_at', 'scheduled_at', '-posted_at', 'title'),
  q: text,
  page,
  attention: flag,
  focus: flag,
};

export const NEW_POST = { at: text, type: oneOf('slides', 'video') };
export const POST = { publish: flag, schedule: flag };

export const CALENDAR = {
  view: oneOf('week'),
  date: day,
  account: text,
  status: oneOf('scheduled', 'in_inbox', 'posted', 'failed'),
};

export const ANALYTICS = { days: oneOf(7, 30, 90), outcome: oneOf(...OUTCOMES), reason: text, page };

/** What the platform's consent page has led to. */
export const ACCOUNTS = { connected: text, error: text, account: text };

/** Of the audit log, and of webhooks and their logs. */
export const SETTINGS = {
  /** A kind of actor, or the id of a person or key. */
  actor: text,
  /** Actions separated by commas. */
  action: text,
  from: day,
  to: day,
  webhook: text,
  state: oneOf('pending', 'delivered', 'failed'),
  page,
};

export const SIGN_IN = { next: text, as: text };
export const SIGN_UP = { next: text };
