// Slides that look bad in a portrait feed. A warning, because they can be posted all the same.

import type { Asset } from '@airdate/sdk/core';
import type { Upload } from '../uploads/upload.js';
import { isComingSlide } from './coming-slides.js';

interface Size {
  width: number;
  height: number;
}

const MIN_SIZE = { width: 540, height: 960 };
const PORTRAIT = 9 / 16;
/** 4:5 and 3:4 are common and look right; squares and landscapes leave half of the screen empty. */
const MAX_RATIO = 0.81;
const MIN_RATIO = PORTRAIT * 0.8;

export function warningFor(place: number, { width, height }: Size): string | undefined {
  const size = `Slide ${place} is ${width} × ${height}.`;
  const ratio = width / height;
  const isWide = ratio > MAX_RATIO;
  // A wide one with enough pixels across is not small, only not portrait.
  if (width < MIN_SIZE.width || (height < MIN_SIZE.height && !isWide))
    return `${size} Use at least ${MIN_SIZE.width} × ${MIN_SIZE.height}.`;
  if (isWide || ratio < MIN_RATIO)
    return `${size} It won’t fill the screen: use 9:16, for example 1080 × 1920.`;
  return undefined;
}

/** Of the slides in the post, and of those on their way as far as their size is known. */
export function slideWarnings(assets: readonly Asset[], uploads: readonly Upload[]): string[] {
  const coming = uploads.filter(isComingSlide(assets));
  return [...assets, ...coming.map(({ pixels }) => pixels)].flatMap((size, i) =>
    size ? (warningFor(i + 1, size) ?? []) : [],
  );
}
