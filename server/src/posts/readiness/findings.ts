// What a platform is known to refuse or to show differently, as far as a post and its files tell. Shared by readiness,
// preflight, publish now and the attempts themselves, so that all of them say the same.
import type { Connector, CreatorInfo, Draft, Finding, Media } from '../../connectors/connector.js';
import type { PostRow } from '../../db/tables.js';
import { TOGGLES, type Toggle } from '../toggles.js';

/** How a post is published: its own columns, or the options of a publish request. */
export type PublishOptions = Pick<PostRow, 'social_account_id' | 'publish_mode' | 'privacy_level' | Toggle>;

export const draftOf = (post: PostRow, options: PublishOptions): Draft => ({
  type: post.post_type,
  mode: options.publish_mode,
  title: post.title,
  caption: post.caption,
  hashtags: post.hashtags,
  privacyLevel: options.privacy_level,
  disableComment: options.disable_comment === 1,
  disableDuet: options.disable_duet === 1,
  disableStitch: options.disable_stitch === 1,
  isBrandedContent: options.brand_content_toggle === 1,
  isOwnBrand: options.brand_organic_toggle === 1,
  coverIndex: post.cover_index,
  coverMs: post.cover_ms,
});

/** The toggles of a draft, by their names in the API. */
export const togglesOf = (draft: Draft): Record<Toggle, boolean> => ({
  disable_comment: draft.disableComment,
  disable_duet: draft.disableDuet,
  disable_stitch: draft.disableStitch,
  brand_content_toggle: draft.isBrandedContent,
  brand_organic_toggle: draft.isOwnBrand,
});

export const finding = (code: string, detail: string, field?: string): Finding => ({
  code,
  detail,
  pointer: field === undefined ? null : `/${field}`,
  level: 'error',
});

export const warning = (...args: Parameters<typeof finding>): Finding => ({
  ...finding(...args),
  level: 'warning',
});

/** Files that Airdate was asked to fetch and does not have. They belong to the post: it goes out with them, or not at all. */
export interface MissingFiles {
  pending: number;
  rejected: number;
  /** The name of one pending file, if there are several. */
  pendingName: string;
  /** The name of one rejected file, and why it was rejected. */
  rejectedName: string;
  reason: string;
}

export const NOTHING_MISSING: MissingFiles = {
  pending: 0,
  rejected: 0,
  pendingName: '',
  rejectedName: '',
  reason: '',
};

/** The error of a scheduled post whose slot has come. Such a post is recognized by its `wait_reason`, `file`. */
export const WAITS_FOR_FILE = {
  code: 'uploads_pending',
  reason: 'The post waits for a file that is still being fetched (uploads_pending)',
} as const;

/** Null if nothing is missing. A rejected file comes first: waiting does not help. */
export function missingFinding({ pending, rejected, ...file }: MissingFiles): Finding | null {
  if (rejected > 0) {
    const why = /[.!?]$/.test(file.reason) ? file.reason : `${file.reason}.`;
    return finding(
      'media_rejected',
      rejected === 1
        ? `${shortName(file.rejectedName)} was rejected: ${why} Remove or replace it.`
        : `${rejected} files were rejected. Remove or replace them.`,
    );
  }
  if (pending > 0)
    return finding(
      'uploads_pending',
      pending === 1
        ? `Wait until ${shortName(file.pendingName)} has been fetched, or remove it.`
        : `Wait until ${pending} files have been fetched, or remove them.`,
    );
  return null;
}

const MAX_NAME = 60;
const shortName = (name: string) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);

/** Findings that only make sense if there are files. */
const ABOUT_MEDIA = ['slide_count', 'video_size', 'video_type', 'video_too_long', 'cover_out_of_range'];

/** Errors and warnings. With `creator` null, rules that depend on the account's present options are skipped. */
export function findingsOf(
  connector: Pick<Connector, 'check' | 'supports'>,
  draft: Draft,
  media: Media,
  creator: CreatorInfo | null,
): Finding[] {
  const given = togglesOf(draft);
  const withoutEffect = TOGGLES.filter((name) => given[name] && !connector.supports.toggles.includes(name));
  const findings = [
    ...connector.check(draft, media, creator),
    ...withoutEffect.map((field) => {
      const detail = `The platform of the account has no ${field}, so it has no effect there.`;
      return warning('not_on_platform', detail, field);
    }),
  ];
  if ('addresses' in media ? media.addresses.length > 0 : media.bytes > 0) return findings;
  const missing = draft.type === 'video' ? 'Add the video.' : 'Add at least one slide.';
  return [finding('no_media', missing), ...findings.filter(({ code }) => !ABOUT_MEDIA.includes(code))];
}
