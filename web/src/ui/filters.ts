import type { SocialAccount } from '@airdate/sdk/core';

/** One of the lists that narrow down what a screen shows. */
export interface Filter {
  label: string;
  /** When nothing is chosen. */
  any: string;
  /** When there is nothing to choose. */
  none?: string;
  width: number;
  data: { value: string; label: string }[];
  value: string | undefined;
  choose: (value: string | undefined) => void;
}

export const accountFilter = (
  accounts: SocialAccount[],
  value: string | undefined,
  choose: Filter['choose'],
): Filter => ({
  label: 'Account',
  any: 'Any account',
  none: 'No accounts connected',
  width: 148,
  data: accounts.map(({ id, username }) => ({ value: id, label: username })),
  value,
  choose,
});
