// The bodies of the three inits in the platform's format. Nothing of the author's texts is ever cut.
import type { ChunkPlan, Draft, PostText, SlideMedia } from '../connector.js';
import type { Fields } from './json.js';

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

/** The platform takes none beyond. In UTF-16 code units, as JavaScript counts. */
export const MAX_PHOTO_TITLE = 90;

/** Caption and hashtags with a blank line between them; empty if there is neither. */
export function joinCaption({ caption, hashtags }: Pick<PostText, 'caption' | 'hashtags'>): string {
  return [caption, hashtags]
    .map((part) => (part ?? '').trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The text fields of an init. A video draft for the inbox has none: the platform ignores them. */
export function textFields(draft: Draft): { title?: string; description?: string } {
  const text = joinCaption(draft);
  if (draft.type === 'video') return draft.mode === 'inbox' || text === '' ? {} : { title: text };
  const title = draft.title.trim();
  return {
    ...(title === '' || title.length > MAX_PHOTO_TITLE ? {} : { title }),
    ...(text === '' ? {} : { description: text }),
  };
}
