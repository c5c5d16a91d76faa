import { useMemo } from 'react';
import { useMay } from '../api/permissions.js';

/** Computed once for a whole page of posts, and passed down. */
export interface Rights {
  write: boolean;
  publish: boolean;
}

export function useRights(): Rights {
  const write = useMay('posts:write');
  const publish = useMay('posts:publish');
  return useMemo(() => ({ write, publish }), [write, publish]);
}
