// The URL of the audit log as a query of the API, and back.
import type { AuditQuery } from './queries.js';

export interface AuditSearch {
  /** A kind of actor, or the id of a person or key. */
  actor?: string;
  /** Actions separated by commas. */
  action?: string;
  /** Days in the viewer's zone: 2026-12-01. */
  from?: string;
  to?: string;
  page?: number;
}

const KINDS = ['operator', 'platform', 'system'] as const;

const PER_PAGE = 30;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** What the URL does not say well is left out: the API would refuse it. */
export function queryOf({ actor, action, from, to, page = 1 }: AuditSearch): AuditQuery {
  const kind = KINDS.find((one) => one === actor);
  return {
    per_page: PER_PAGE,
    page,
    ...(kind ? { actor_kind: kind } : actor ? { actor_id: actor } : {}),
    ...(action ? { action } : {}),
    ...(isDay(from) ? { from: startOf(from).toISOString() } : {}),
    ...(isDay(to) ? { to: endOf(to).toISOString() } : {}),
  };
}

export const isFiltered = ({ actor, action, from, to }: AuditSearch): boolean =>
  [actor, action, from, to].some((one) => one !== undefined);

const isDay = (text: string | undefined): text is string =>
  text !== undefined && DAY.test(text) && !Number.isNaN(startOf(text).getTime());

/** Without an offset, a date and time are of the viewer's zone. */
const startOf = (day: string) => new Date(`${day}T00:00:00`);
const endOf = (day: string) => new Date(`${day}T23:59:59.999`);
