// The bodies of the three inits in the platform's format.
import type { ChunkPlan, Draft, SlideMedia } from '../connector.js';
import type { Fields } from './json.js';
import { textFields } from './texts.js';

/** Direct videos and drafts have separate endpoints; slides name the mode in the body. */
export const INIT_PATHS = {
  video: { direct: '/v2/post/publish/video/init/', inbox: '/v2/post/publish/inbox/video/init/' },
  slides: { direct: '/v2/post/publish/content/init/', inbox: '/v2/post/publish/content/init/' },
} as const;

export function videoBody(draft: Draft, plan: ChunkPlan): Fields {
  const source_info = {
    source: 'FILE_UPLOAD',
    video_size: plan.videoSize,
    chunk_size: plan.chunkSize,
    total_chunk_count: plan.chunkCount,
  };
  if (draft.mode === 'inbox') return { source_info };
  const post_info = {
    ...textFields(draft),
    ...directFields(draft),
    disable_duet: draft.disableDuet,
    disable_stitch: draft.disableStitch,
    // Without it, the cover is the first frame.
    ...(draft.coverMs == null ? {} : { video_cover_timestamp_ms: draft.coverMs }),
  };
  return { post_info, source_info };
}

export function slidesBody(draft: Draft, { addresses }: SlideMedia): Fields {
  const isDirect = draft.mode === 'direct';
  return {
    media_type: 'PHOTO',
    post_mode: isDirect ? 'DIRECT_POST' : 'MEDIA_UPLOAD',
    post_info: {
      ...textFields(draft),
      // The default is undocumented, and the author chose no music.
      ...(isDirect ? { ...directFields(draft), auto_add_music: false } : {}),
    },
    source_info: {
      source: 'PULL_FROM_URL',
      photo_images: [...addresses],
      photo_cover_index: draft.coverIndex ?? 0,
    },
  };
}

const directFields = (draft: Draft) => ({
  privacy_level: draft.privacyLevel,
  disable_comment: draft.disableComment,
  brand_content_toggle: draft.isBrandedContent,
  brand_organic_toggle: draft.isOwnBrand,
});
