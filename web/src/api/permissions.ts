// What this person may do, for hiding what would only be refused. The API decides; this is courtesy.
import type { Me } from '@airdate/sdk';
import { useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from './queries.js';

export type Scope = Me['scopes'][number];

export const useMe = (): Me => useSuspenseQuery(meQuery).data;

/** How far ahead a slot must be at least. */
export const useLeadMs = (): number => useMe().schedule_min_lead_seconds * 1000;

export const useMay = (scope: Scope): boolean => useMe().scopes.includes(scope);
