import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { getUploads, subscribe, watch } from './store.js';
import type { Upload } from './upload.js';

/** The uploads of one post that have not become part of it yet, in the order they were chosen. */
export function useUploads(postId: string | undefined): readonly Upload[] {
  const all = useSyncExternalStore(subscribe, getUploads);
  useEffect(() => (postId === undefined ? undefined : watch(postId)), [postId]);
  return useMemo(() => all.filter((upload) => upload.postId === postId), [all, postId]);
}
