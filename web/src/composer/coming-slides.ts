import type { Asset } from '@airdate/sdk/core';
import { isUnderWay } from '../uploads/store.js';
import type { Upload } from '../uploads/upload.js';

/** Whether an upload will stand behind the files that are there: it has not arrived, and takes the place of none. */
export function isComingSlide(assets: readonly Pick<Asset, 'object_key'>[]): (upload: Upload) => boolean {
  const arrived = new Set(assets.map(({ object_key }) => object_key));
  return (upload) =>
    isUnderWay(upload) &&
    upload.insteadOf === undefined &&
    !upload.replace &&
    !(upload.grant && arrived.has(upload.grant.object_key));
}
