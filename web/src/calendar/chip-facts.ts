// What all chips know besides their post. A query in each of them would cost more than drawing it.
import type { SocialAccount } from '@airdate/sdk/core';
import { useQuery } from '@tanstack/react-query';
import { createContext, useMemo } from 'react';
import { accountsQuery } from '../api/queries.js';
import type { PlatformName } from '../ui/api-text.js';
import { usePlatform } from '../ui/platform.js';

interface Facts {
  platform: PlatformName;
  /** By id, if there are several: a single one need not be told apart. */
  accounts: ReadonlyMap<string, SocialAccount> | null;
}

export const ChipFacts = createContext<Facts>({
  platform: { name: 'the platform', atStart: 'The platform' },
  accounts: null,
});

export function useChipFacts(): Facts {
  const platform = usePlatform();
  const { data } = useQuery(accountsQuery);
  return useMemo(() => {
    const several = data !== undefined && data.length > 1 ? data : null;
    return { platform, accounts: several && new Map(several.map((account) => [account.id, account])) };
  }, [platform, data]);
}
