// What this person may do, to hide actions that the API would refuse. The API decides.
import type { Me } from '@airdate/sdk/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from './queries.js';

export type Scope = Me['scopes'][number];

export const useMe = (): Me => useSuspenseQuery(meQuery).data;

/** The minimum notice of a slot. */
export const useLeadMs = (): number => useMe().schedule_min_lead_seconds * 1000;

export const useMay = (scope: Scope): boolean => useMe().scopes.includes(scope);
