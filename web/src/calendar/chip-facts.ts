// What all chips know besides their post. A query in each of them would cost more than drawing it.
import { createContext, useMemo } from 'react';
import { type ShownAccount, useKnownAccounts } from '../accounts/useKnownAccounts.js';
import { usePlatform } from '../api/platform.js';
import type { PlatformName } from '../text/api-text.js';

interface Facts {
  platform: PlatformName;
  /** By id, if there are several: a single one need not be told apart. */
  accounts: ReadonlyMap<string, ShownAccount> | null;
}

export const ChipFacts = createContext<Facts>({
  platform: { name: 'the platform', atStart: 'The platform' },
  accounts: null,
});

export function useChipFacts(): Facts {
  const platform = usePlatform();
  const known = useKnownAccounts();
  return useMemo(
    () => ({ platform, accounts: known !== undefined && known.size > 1 ? known : null }),
    [platform, known],
  );
}
