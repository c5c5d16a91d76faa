import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { accountsQuery, countsQuery, useMay, useMe } from '../api/queries.js';
import { type Step, stepsOf } from './first-steps.js';

/** With more posts than this, a team knows its way. */
const FEW_POSTS = 6;

interface FirstSteps {
  /** Undefined until they are known, and when they are over. */
  steps: Step[] | undefined;
  /** Also true while they are being read, if they were open on the last visit: their place is kept free. */
  isOpen: boolean;
  dismiss: () => void;
}

/** Open until all steps are done, or until this person closes them in this browser. */
export function useFirstSteps(): FirstSteps {
  const { user } = useMe();
  const mayWrite = useMay('posts:write');
  const [state, setState] = useLocalStorage<'new' | 'open' | 'over'>({
    key: `airdate-first-steps:${user?.id ?? 'key'}`,
    defaultValue: 'new',
    getInitialValueInEffect: false,
  });
  const isWanted = mayWrite && state !== 'over';
  const accounts = useQuery({ ...accountsQuery, enabled: isWanted });
  const counts = useQuery({ ...countsQuery, enabled: isWanted });
  const steps = accounts.data && counts.data ? stepsOf(accounts.data.length, counts.data) : undefined;
  const total = Object.values(counts.data ?? {}).reduce((sum, n) => sum + n, 0);
  const now =
    steps && (total > FEW_POSTS || steps.every(({ isDone }) => isDone) ? 'over' : ('open' as const));
  useEffect(() => {
    if (isWanted && now && now !== state) setState(now);
  }, [isWanted, now, state, setState]);
  const isReading = accounts.isLoading || counts.isLoading;
  return {
    steps: isWanted && now === 'open' ? steps : undefined,
    isOpen: isWanted && (now === 'open' || (state === 'open' && isReading)),
    dismiss: () => setState('over'),
  };
}
