import { useMemo } from 'react';
import { useMay } from '../api/queries.js';

/** Computed once for a whole page of posts, and passed down. */
export interface Rights {
  write: boolean;
  publish: boolean;
  /** Connect accounts. */
  manage: boolean;
}

export function useRights(): Rights {
  const write = useMay('posts:write');
  const publish = useMay('posts:publish');
  const manage = useMay('accounts:manage');
  return useMemo(() => ({ write, publish, manage }), [write, publish, manage]);
}
