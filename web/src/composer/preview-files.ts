import type { Asset } from '@airdate/sdk/core';
import { stableUrl } from '../ui/stable-url.js';
import type { Upload } from '../uploads/upload.js';
import { isComingSlide } from './coming-slides.js';

/** One slide, or the video, of the preview. */
export interface PreviewFile {
  key: string;
  src: string;
  alt: string;
}

/** Uploaded files and running uploads, in the order viewers will see them. */
export function previewFiles({
  assets,
  uploads,
}: {
  assets: readonly Asset[];
  uploads: readonly Upload[];
}): PreviewFile[] {
  return [
    ...assets.map((asset) => ({ key: asset.object_key, src: stableUrl(asset.url), alt: asset.filename })),
    ...uploads
      .filter(isComingSlide(assets))
      .map(({ id, localUrl, file }) => ({ key: id, src: localUrl, alt: file.name })),
  ];
}
