// All uploads of this tab, as data: screens read them here without loading what sends them.

import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { askBeforeLeaving } from './before-unload.js';
import type { Change, Upload } from './upload.js';

export interface Finished {
  id: string;
  name: string;
  postId: string;
}

/** Uploads of posts that are not on the screen. */
export interface BackgroundUploads {
  uploads: readonly Upload[];
  /** Those that have just become part of their post. */
  finished: readonly Finished[];
}

let all: readonly Upload[] = [];
let background: BackgroundUploads = { uploads: [], finished: [] };
const listeners = new Set<() => void>();
/** The posts whose composer is on the screen: it shows their uploads itself. */
const watched = new Map<string, number>();

export const getUploads = (): readonly Upload[] => all;
export const getBackgroundUploads = (): BackgroundUploads => background;

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const isUnderWay = ({ state }: Upload): boolean =>
  state === 'waiting' || state === 'sending' || state === 'checking';

const isWatched = (postId: string): boolean => (watched.get(postId) ?? 0) > 0;

function watch(postId: string): () => void {
  const count = (by: number) => {
    watched.set(postId, (watched.get(postId) ?? 0) + by);
    notify(background.finished.filter((each) => each.postId !== postId));
  };
  count(1);
  return () => count(-1);
}

export const find = (id: string): Upload | undefined => all.find((upload) => upload.id === id);

export const add = (uploads: readonly Upload[]): void => set([...all, ...uploads]);

export const change = (id: string, next: Change): void =>
  set(all.map((upload) => (upload.id === id ? { ...upload, ...next } : upload)));

export function forget(id: string): void {
  const upload = find(id);
  if (upload?.localUrl) URL.revokeObjectURL(upload.localUrl);
  set(all.filter((each) => each.id !== id));
}

/** It is part of its post. */
export function finish({ id, postId, file }: Upload): void {
  if (!isWatched(postId))
    background = { ...background, finished: [...background.finished, { id, postId, name: file.name }] };
  forget(id);
}

export const forgetFinished = (): void => notify([]);

let stopAsking: (() => void) | undefined;

function set(next: readonly Upload[]): void {
  all = next;
  if (all.some(isUnderWay)) stopAsking ??= askBeforeLeaving();
  else {
    stopAsking?.();
    stopAsking = undefined;
  }
  notify(background.finished);
}

function notify(finished: readonly Finished[]): void {
  background = { uploads: all.filter(({ postId }) => !isWatched(postId)), finished };
  for (const listener of listeners) listener();
}

/** The uploads of one post that have not become part of it yet, in the order they were chosen. */
export function useUploads(postId: string | undefined): readonly Upload[] {
  const all = useSyncExternalStore(subscribe, getUploads);
  useEffect(() => (postId === undefined ? undefined : watch(postId)), [postId]);
  return useMemo(() => all.filter((upload) => upload.postId === postId), [all, postId]);
}
