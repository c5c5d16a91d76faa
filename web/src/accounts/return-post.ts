// The post that an account is connected for: it was written before there was one, or its account is connected again from it. The
// consent page of the platform leads back to the accounts, and the dashboard is loaded anew: what it was about is left in this tab.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { accountsQuery } from '../api/queries.js';

const NAME = 'airdate.post-without-account';

/** On the screens that offer to connect an account for the post. */
export function useReturnHere(postId: string | undefined): void {
  const hasNone = useQuery(accountsQuery).data?.length === 0;
  useEffect(() => {
    if (hasNone && postId !== undefined) returnTo(postId);
  }, [hasNone, postId]);
}

export const returnTo = (postId: string): void => write((storage) => storage.setItem(NAME, postId));

export function postToReturnTo(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

export const forgetReturn = (): void => write((storage) => storage.removeItem(NAME));

/** Without storage there is no link back, and nothing else is lost. */
function write(change: (storage: Storage) => void): void {
  try {
    change(sessionStorage);
  } catch {}
}
