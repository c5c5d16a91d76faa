// Runs the uploads of this tab, outside the screens: they continue when the writer leaves the composer.

import type { Asset } from '@airdate/sdk/core';
import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { messageOf } from '../api/client.js';
import { newId } from '../api/idempotency-keys.js';
import { assetsQuery, quotasQuery, refreshPosts, refreshQueries } from '../api/queries.js';
import { createSerialQueue } from '../ui/serial-queue.js';
import { type AssetList, arrange, atPosition, before, removeAsset } from './arrange.js';
import { add, change, find, finish, forget, getUploads } from './store.js';
import { Refused, replaceSlide, run, type Upload } from './upload.js';

const MAX_CONCURRENT = 3;
const REFRESH_MS = 1_500;

const running = new Map<string, AbortController>();
/** Finished uploads by key: a late one is moved before those that were chosen after it. */
const arrived = new Map<string, number>();
let lastSequence = 0;
let refresh: ReturnType<typeof setTimeout> | undefined;
const enqueue = createSerialQueue();

export interface Chosen {
  postId: string;
  file: File;
  contentType: string;
  /** Why it will not be sent at all. */
  refusal?: string;
  insteadOf?: string;
  replace?: boolean;
  position?: number;
  onArrived?: () => void;
}

export function addUploads(client: QueryClient, chosen: readonly Chosen[]): void {
  const added = chosen.map(
    ({ refusal, ...rest }): Upload => ({
      ...rest,
      id: newId(),
      sequence: ++lastSequence,
      grant: null,
      localUrl: refusal === undefined ? URL.createObjectURL(rest.file) : '',
      state: refusal === undefined ? 'waiting' : 'refused',
      sent: 0,
      speed: null,
      grants: 0,
      refusals: 0,
      ...(refusal === undefined ? {} : { reason: refusal }),
    }),
  );
  add(added);
  for (const { id, localUrl, contentType } of added)
    if (localUrl !== '' && contentType.startsWith('image/')) void measure(id, localUrl);
  pump(client);
}

/** The size of a picture, known before it is uploaded. What is no picture is refused later. */
async function measure(id: string, localUrl: string): Promise<void> {
  const picture = new Image();
  await new Promise((settled) => {
    picture.onload = picture.onerror = settled;
    picture.src = localUrl;
  });
  const { naturalWidth: width, naturalHeight: height } = picture;
  if (width > 0) change(id, { pixels: { width, height } });
}

export function retryUpload(client: QueryClient, id: string): void {
  change(id, { state: 'waiting', sent: 0, speed: null });
  pump(client);
}

/** Ends it at any stage, and frees its place in the post. Also removes a refused one from the list. */
export async function dropUpload(client: QueryClient, id: string): Promise<void> {
  const upload = find(id);
  if (!upload) return;
  running.get(id)?.abort();
  forget(id);
  // If that fails, the list of the post shows it as a leftover.
  if (upload.grant) await removeAsset(upload.postId, upload.grant.object_key).catch(() => undefined);
  await refreshPosts(client);
}

function pump(client: QueryClient): void {
  for (const upload of getUploads()) {
    if (running.size >= MAX_CONCURRENT) return;
    if (upload.state === 'waiting' && !running.has(upload.id)) void start(client, upload.id);
  }
}

async function start(client: QueryClient, id: string): Promise<void> {
  const abort = new AbortController();
  running.set(id, abort);
  let asset: Asset | undefined;
  try {
    asset = await run({
      get: () => find(id) as Upload,
      change: (next) => change(id, next),
      enqueue,
      signal: abort.signal,
    });
  } catch (error) {
    if (!abort.signal.aborted) fail(id, error);
    // It may have failed because the storage is full.
    void refreshQueries(client, quotasQuery);
  }
  running.delete(id);
  pump(client);
  const upload = find(id);
  if (asset && upload) await settle(client, upload, asset);
}

async function settle(client: QueryClient, upload: Upload, asset: Asset): Promise<void> {
  const { postId, insteadOf, position, grants, sequence, file } = upload;
  const { queryKey } = assetsQuery(postId);
  arrived.set(asset.object_key, sequence);
  // The image on the screen passes from the upload to the slide without a gap.
  await client.cancelQueries({ queryKey });
  client.setQueryData<AssetList>(queryKey, (list) => list && withAsset(list, asset));
  try {
    if (insteadOf !== undefined) await replaceSlide(postId, asset.object_key, insteadOf);
    else if (position !== undefined) await arrange(postId, atPosition(asset.object_key, position));
    else if (grants > 1) await putInSequence(upload, asset.object_key);
    upload.onArrived?.();
  } catch (error) {
    notifications.show({
      color: 'red',
      title: `${file.name} was added at the end`,
      message: `Couldn’t move the slide into position: ${messageOf(error)} It’s saved; drag it where you want it.`,
      autoClose: false,
    });
  }
  finish(upload);
  refreshSoon(client);
}

function withAsset(list: AssetList, asset: Asset): AssetList {
  const isOther = ({ object_key }: { object_key: string }) => object_key !== asset.object_key;
  const isVideo = asset.content_type.startsWith('video/');
  const data = isVideo ? [asset] : list.data.filter(isOther).toSpliced(asset.position - 1, 0, asset);
  return { ...list, data, pending: list.pending.filter(isOther) };
}

/** Many small files may arrive together; their post is fetched once. */
function refreshSoon(client: QueryClient): void {
  if (refresh !== undefined) return;
  refresh = setTimeout(() => {
    refresh = undefined;
    void refreshPosts(client);
  }, REFRESH_MS);
}

/** It was chosen before others, but got its last URL after them. */
async function putInSequence({ postId, sequence }: Upload, key: string): Promise<void> {
  await arrange(postId, (keys) => {
    const next = keys.find((other) => (arrived.get(other) ?? 0) > sequence);
    return next === undefined ? keys : before(key, next)(keys);
  });
}

function fail(id: string, error: unknown): void {
  if (!find(id)) return;
  const reason = messageOf(error);
  change(id, { state: error instanceof Refused ? 'refused' : 'failed', reason, speed: null });
}
