// The URL of the audit log as a query of the API, and back.
import type { SETTINGS, SearchOf } from '../text/search-params.js';
import { isAction } from './audit-sentences.js';
import type { AuditQuery } from './queries.js';

export type AuditSearch = Pick<SearchOf<typeof SETTINGS>, 'actor' | 'action' | 'from' | 'to' | 'page'>;

const KINDS = ['operator', 'platform', 'system'] as const;

const PER_PAGE = 30;

export function queryOf({ actor, action, from, to, page = 1 }: AuditSearch): AuditQuery {
  const kind = KINDS.find((one) => one === actor);
  const actions = action?.split(',').filter(isAction) ?? [];
  return {
    per_page: PER_PAGE,
    page,
    ...(kind ? { actor_kind: kind } : actor ? { actor_id: actor } : {}),
    ...(actions.length > 0 ? { action: actions } : {}),
    ...(from ? { from: startOf(from).toISOString() } : {}),
    ...(to ? { to: endOf(to).toISOString() } : {}),
  };
}

export const isFiltered = ({ actor, action, from, to }: AuditSearch): boolean =>
  [actor, action, from, to].some((one) => one !== undefined);

/** Without an offset, a date and time are of the viewer's zone. */
const startOf = (day: string) => new Date(`${day}T00:00:00`);
const endOf = (day: string) => new Date(`${day}T23:59:59.999`);
