// The files of a post on the screen: uploaded ones, running uploads, and adding more.

import type { Asset, Post } from '@airdate/sdk/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { assetsQuery } from '../api/queries.js';
import { UNTITLED } from '../text/post-title.js';
import { createSerialQueue } from '../ui/serial-queue.js';
import type { AssetList } from '../uploads/arrange.js';
import { askBeforeLeaving } from '../uploads/before-unload.js';
import { type PreparedFile, prepareFile } from '../uploads/images.js';
import { contentTypeOf, isVideo, MAX_SLIDES, mustConvert, refusalOf } from '../uploads/limits.js';
import { getUploads, useUploads } from '../uploads/store.js';
import type { Upload } from '../uploads/upload.js';
import { addUploads, type Chosen, dropUpload } from '../uploads/uploads.js';
import { isComingSlide } from './coming-slides.js';
import { type Draft, useDraft } from './draft.js';

export interface Media {
  assets: readonly Asset[];
  uploads: readonly Upload[];
  /** Granted, but not to this tab: started elsewhere, or before a reload. */
  strays: AssetList['pending'];
  rejected: AssetList['rejected'];
  isLoading: boolean;
  error: unknown;
  /** Names of pictures that became JPEGs a moment ago. */
  converted: readonly string[];
  isConverting: boolean;
  /** Files that could not be added, because the post could not be created. */
  stuck: { error: unknown; retry: () => void } | undefined;
  addFiles: (files: readonly File[], insteadOf?: string) => void;
}

const NONE: readonly Asset[] = [];

/** How long it says which pictures became JPEGs. */
const SHOWN_MS = 10_000;

export function usePostMedia(draft: Draft): Media {
  const client = useQueryClient();
  const { id } = useDraft(draft);
  const list = useQuery({ ...assetsQuery(id ?? ''), enabled: id !== undefined });
  const uploads = useUploads(id);
  const [stuck, setStuck] = useState<Media['stuck']>();
  const [converted, setConverted] = useState<readonly string[]>([]);
  const [isConverting, setConverting] = useState(false);
  const [enqueue] = useState(createSerialQueue);
  useEffect(() => (isConverting ? askBeforeLeaving() : undefined), [isConverting]);
  useEffect(() => {
    if (converted.length === 0) return;
    const timer = setTimeout(setConverted, SHOWN_MS, []);
    return () => clearTimeout(timer);
  }, [converted]);

  const assets = list.data?.data ?? NONE;
  const ours = new Set(uploads.map(({ grant }) => grant?.object_key));
  const strays = (list.data?.pending ?? []).filter(({ object_key }) => !ours.has(object_key));
  const rejected = (list.data?.rejected ?? []).filter(({ object_key }) => !ours.has(object_key));

  const addFiles = async (files: readonly File[], insteadOf?: string) => {
    const first = files[0];
    if (!first) return;
    setStuck(undefined);
    setConverted([]);
    let postId: string;
    try {
      postId = await draft.create(titleFrom(first.name));
    } catch (error) {
      return setStuck({ error, retry: () => void enqueue(() => addFiles(files, insteadOf)) });
    }
    const ofThisPost = () => getUploads().filter((upload) => upload.postId === postId);
    // Not those of the render: the files before these may have come meanwhile.
    const filesNow = () => {
      const known = client.getQueryData(assetsQuery(postId).queryKey);
      const keys = new Set(ofThisPost().map(({ grant }) => grant?.object_key));
      const others = (known?.pending ?? []).filter(({ object_key }) => !keys.has(object_key));
      return { assets: known?.data ?? NONE, count: (known?.data.length ?? 0) + others.length };
    };
    // Not that of the render: a video may just have changed it.
    if (draft.view().postType === 'video') {
      const isTaken = refusalOf(first, 'video') === undefined;
      if (isTaken) for (const { id: old } of ofThisPost()) await dropUpload(client, old);
      const replace = filesNow().count > 0;
      addUploads(client, files.map(chosenVideo(postId, replace)));
      return;
    }
    setConverting(files.some(mustConvert));
    // All of them before the first is uploaded: they keep their order.
    const ready = await Promise.all(files.map(prepareFile));
    setConverting(false);
    setConverted(ready.flatMap(({ convertedFrom }) => convertedFrom ?? []));
    const { assets: there, count } = filesNow();
    const coming = ofThisPost().filter(isComingSlide(there)).length;
    const room = MAX_SLIDES - count - coming;
    addUploads(client, chosenSlides(postId, ready, room, insteadOf));
  };

  return {
    assets,
    uploads,
    strays,
    rejected,
    isLoading: id !== undefined && list.isPending,
    error: list.error,
    stuck,
    converted,
    isConverting,
    addFiles: (files, insteadOf) => void enqueue(() => addFiles(files, insteadOf)),
  };
}

const titleFrom = (filename: string): string =>
  [...filename.replace(/\.[^.]+$/, '').trim()].slice(0, 500).join('') || UNTITLED;

function chosen(postId: string, file: File, type: Post['post_type'], refusal?: string): Chosen {
  const reason = refusalOf(file, type) ?? refusal;
  return {
    postId,
    file,
    contentType: contentTypeOf(file, type) ?? '',
    ...(reason === undefined ? {} : { refusal: reason }),
  };
}

export const chosenVideo = (postId: string, replace: boolean) => (file: File, i: number) => ({
  ...chosen(
    postId,
    file,
    'video',
    i > 0 ? 'A post can have only one video, so this file was skipped.' : undefined,
  ),
  replace,
});

const ANOTHER_POST = 'This post has slides. Use a new post for the video.';

/** Those that fit, in the order they were dropped; the others with the reason why not. */
function chosenSlides(
  postId: string,
  ready: readonly PreparedFile[],
  room: number,
  insteadOf?: string,
): Chosen[] {
  let left = insteadOf === undefined ? room : 1;
  const isSlide = ({ file, refusal }: PreparedFile) =>
    refusal === undefined && refusalOf(file, 'slides') === undefined;
  const hasSlides = room < MAX_SLIDES || ready.some(isSlide);
  return ready.map(({ file, refusal: unreadable }) => {
    const refusal = hasSlides && isVideo(file) ? ANOTHER_POST : unreadable;
    if (refusal === undefined && refusalOf(file, 'slides') === undefined) left -= 1;
    const full =
      insteadOf === undefined
        ? `A post can have up to ${MAX_SLIDES} slides.`
        : 'One file replaces one slide.';
    const skipped = left < 0 ? `${full} This file was skipped.` : undefined;
    const slide = {
      ...chosen(postId, file, 'slides', skipped),
      ...(refusal === undefined ? {} : { refusal }),
    };
    return insteadOf === undefined ? slide : { ...slide, insteadOf };
  });
}
