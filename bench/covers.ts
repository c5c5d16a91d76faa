// The cost of covers: a list of 100 posts with a signed URL for each, compared with the list without covers.

import { randomBytes } from 'node:crypto';
import type { App } from '@airdate/server/src/app/app.js';
import type { S3Config } from '@airdate/server/src/config/config.js';
import { createAddressSigner } from '@airdate/server/src/object-store/disk/signed-address.js';
import { addressSigner } from '@airdate/server/src/object-store/s3/addresses.js';
import { sql } from 'kysely';
import { ANEW, median, timeInTurn } from './measure.js';

const PAGE = 100;
const LIST = `/api/v1/posts?per_page=${PAGE}${ANEW}`;
const LIFE_MS = 3_600_000;

/** Signing makes no request, so no server needs to listen on this port. */
const ENDPOINT = 'http://127.0.0.1:9';
const S3: S3Config = {
  bucket: 'airdate-bench',
  endpoint: ENDPOINT,
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: randomBytes(30).toString('base64'),
  forcePathStyle: true,
};

export const S3_ENV = {
  S3_BUCKET: S3.bucket,
  S3_ENDPOINT: ENDPOINT,
  S3_ACCESS_KEY_ID: S3.accessKeyId,
  S3_SECRET_ACCESS_KEY: S3.secretAccessKey,
};

/** Gives every post of the organization two ready slides with thumbnails. */
export async function seedSlides(app: App, orgId: string): Promise<void> {
  const now = sql.lit(Date.now());
  const text = app.db.engine === 'sqlite' ? sql`id` : sql`id::text`;
  const cast = app.db.engine === 'sqlite' ? sql`` : sql`::uuid`;
  for (const position of [1, 2]) {
    // Post ids are version 7; replacing that digit makes a new, unique id for each asset.
    const id = sql`(substr(${text}, 1, 14) || ${sql.lit(String(position))} || substr(${text}, 16))${cast}`;
    await app.db.transact((tx) =>
      sql`insert into assets (org_id, id, post_id, kind, state, object_key, filename, content_type, position,
          expires_at, size, width, height, has_thumbnail, created_at, settled_at)
        select org_id, ${id}, id, 'slide', 'ready',
          'orgs/' || org_id || '/posts/' || ${text} || '/slides/cover-' || ${sql.lit(String(position).padStart(12, '0'))} || '.png',
          'cover.png', 'image/png', ${sql.lit(position)}, ${now}, 184320, 1080, 1920, 1, ${now}, ${now}
        from posts where org_id = ${orgId}${cast}`.execute(tx),
    );
  }
  await app.db.transact((tx) => sql`analyze`.execute(tx));
}

/** The extra time of the list with covers, as a share of the list without. */
export async function costOfCovers(
  url: string,
  headers: Record<string, string>,
  times: number,
): Promise<number> {
  const withCovers = `${url}${LIST}&include=cover`;
  const page = (await (await fetch(withCovers, { headers })).json()) as { data: { cover_url: unknown }[] };
  const covers = page.data.filter(({ cover_url }) => typeof cover_url === 'string').length;
  if (covers !== PAGE) throw new Error(`${covers} of ${PAGE} posts have a cover`);
  const [plain, full] = await timeInTurn([url + LIST, withCovers], headers, times);
  return (full as number) / (plain as number) - 1;
}

/** The time to sign the URLs alone, as a share of the list. */
export async function costOfSigning(
  url: string,
  headers: Record<string, string>,
  times: number,
): Promise<{ disk: number; s3: number }> {
  const [list] = await timeInTurn([url + LIST], headers, times);
  const disk = createAddressSigner([randomBytes(32)]);
  const s3 = addressSigner(S3, ENDPOINT, Date);
  const keys = Array.from({ length: PAGE }, (_, i) => {
    const id = `01900000-0000-7000-8000-${i.toString(16).padStart(12, '0')}`;
    return `thumbnails/orgs/${id}/posts/${id}/slides/cover-${i.toString(16).padStart(12, '0')}.png.webp`;
  });
  const share = (sign: (key: string, until: number) => string) => {
    const samples: number[] = [];
    for (let round = 0; round < times + 5; round++) {
      const startedAt = performance.now();
      const until = Date.now() + LIFE_MS;
      for (const key of keys) sign(key, until);
      if (round >= 5) samples.push(performance.now() - startedAt);
    }
    return median(samples) / (list as number);
  };
  return { disk: share(disk.download), s3: share(s3.signDownload) };
}
