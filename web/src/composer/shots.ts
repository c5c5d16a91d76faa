import type { Asset } from '@airdate/sdk/core';
import { stableUrl } from '../ui/stable-url.js';
import { isUnderWay } from '../uploads/store.js';
import type { Upload } from '../uploads/upload.js';

/** One slide, or the video, of the preview. */
export interface Shot {
  key: string;
  src: string;
  alt: string;
}

/** Whether an upload will stand behind the files that are there: it has not arrived, and takes the place of none. */
export function isComingSlide(assets: readonly Pick<Asset, 'object_key'>[]): (upload: Upload) => boolean {
  const arrived = new Set(assets.map(({ object_key }) => object_key));
  return (upload) =>
    isUnderWay(upload) &&
    upload.insteadOf === undefined &&
    !upload.replace &&
    !(upload.grant && arrived.has(upload.grant.object_key));
}

/** Uploaded files and running uploads, in the order viewers will see them. */
export function shotsOf({
  assets,
  uploads,
}: {
  assets: readonly Asset[];
  uploads: readonly Upload[];
}): Shot[] {
  return [
    ...assets.map((asset) => ({ key: asset.object_key, src: stableUrl(asset.url), alt: asset.filename })),
    ...uploads
      .filter(isComingSlide(assets))
      .map(({ id, localUrl, file }) => ({ key: id, src: localUrl, alt: file.name })),
  ];
}
