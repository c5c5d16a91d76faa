// The platform by its own name. In the sandbox nothing reaches TikTok, and the texts say so.

import { useQueryClient } from '@tanstack/react-query';
import type { PlatformName } from '../text/api-text.js';
import { meQuery, useMe } from './queries.js';

interface PlatformTexts extends PlatformName {
  isSandbox: boolean;
  /** "on TikTok": where a published post is. */
  on: string;
  /** "the TikTok app": where a creator finishes a post from the inbox. */
  app: string;
  inbox: string;
}

const TIKTOK: PlatformTexts = {
  isSandbox: false,
  name: 'TikTok',
  atStart: 'TikTok',
  on: 'on TikTok',
  app: 'the TikTok app',
  inbox: 'your TikTok inbox',
};

const SANDBOX: PlatformTexts = {
  isSandbox: true,
  name: 'the sandbox',
  atStart: 'The sandbox',
  on: 'in the sandbox',
  app: 'the sandbox',
  inbox: 'the sandbox inbox',
};

export const usePlatform = (): PlatformTexts => (useMe().platform?.is_sandbox ? SANDBOX : TIKTOK);

/** Also where no one may be signed in. */
export function usePlatformName(): PlatformName {
  const me = useQueryClient().getQueryData(meQuery.queryKey);
  return me?.platform?.is_sandbox ? SANDBOX : TIKTOK;
}
