// Reads the data of successful responses. Returns null if a required value is missing: nothing is guessed.
import type { CreatorInfo, Grant, Identity, Outcome } from '../connector.js';
import { countOf, type Fields, fieldsOf, idsOf, textOf } from './json.js';
import { cleanCode, failedOutcome } from './outcomes.js';

/** Documentation names lifetimes of 2 and of 24 hours; the response itself decides. */
export function readGrant(data: Fields, previousRefreshToken: string | null): Grant | null {
  const accessToken = textOf(data.access_token);
  const refreshToken = textOf(data.refresh_token) ?? previousRefreshToken;
  const openId = textOf(data.open_id);
  const [seconds, refreshSeconds] = [countOf(data.expires_in), countOf(data.refresh_expires_in)];
  const scope = typeof data.scope === 'string' ? data.scope : null;
  if (accessToken === null || refreshToken === null || openId === null || scope === null) return null;
  if (!seconds || !refreshSeconds || !isHeaderSafe(accessToken)) return null;
  return {
    accessToken,
    lifetimeMs: seconds * 1000,
    refreshToken,
    refreshLifetimeMs: refreshSeconds * 1000,
    openId,
    scopes: scope.split(/[\s,]+/).filter((one) => /^[\w.:-]+$/.test(one)),
  };
}

/** The token is sent in a header. */
const isHeaderSafe = (token: string) => /^[\x21-\x7e]{1,4096}$/.test(token);

export function readCreator(data: Fields): CreatorInfo | null {
  const username = textOf(data.creator_username);
  const levels = data.privacy_level_options;
  if (username === null || !Array.isArray(levels)) return null;
  return {
    username,
    nickname: textOf(data.creator_nickname) ?? username,
    avatarUrl: webAddress(data.creator_avatar_url),
    privacyLevels: levels.filter((level): level is string => textOf(level) !== null),
    isCommentDisabled: data.comment_disabled === true,
    isDuetDisabled: data.duet_disabled === true,
    isStitchDisabled: data.stitch_disabled === true,
    // The API's own limit, if the response names none for the creator.
    maxVideoSeconds: countOf(data.max_video_post_duration_sec) || 600,
  };
}

export function readIdentity(data: Fields): Identity | null {
  const user = fieldsOf(data.user);
  const openId = textOf(user?.open_id);
  if (!user || openId === null) return null;
  return {
    openId,
    displayName: textOf(user.display_name) ?? '',
    avatarUrl: webAddress(user.avatar_url),
  };
}

export function readPublishId(data: Fields): string | null {
  const id = textOf(data.publish_id);
  return id !== null && /^[\x21-\x7e]{1,128}$/.test(id) ? id : null;
}

/** An unknown status counts as not final. */
export function readStatus(
  data: Fields,
  publishId: string,
  username: string | null,
  siteUrl: string,
): Outcome | null {
  const named = textOf(data.status);
  if (named === null) return null;
  const socialStatus = cleanCode(named, 'unreadable');
  switch (socialStatus) {
    case 'PUBLISH_COMPLETE': {
      const kind = publishId.startsWith('p_') ? 'photo' : 'video';
      const [id] = idsOf(data.publicaly_available_post_id);
      if (id === undefined) return { kind: 'published', socialStatus };
      const postUrl =
        username === null ? {} : { postUrl: `${siteUrl}/@${encodeURIComponent(username)}/${kind}/${id}` };
      return { kind: 'published', socialStatus, postId: id, ...postUrl };
    }
    case 'SEND_TO_USER_INBOX':
      return { kind: 'in_inbox', socialStatus };
    case 'FAILED':
      return failedOutcome(textOf(data.fail_reason) ?? '');
    default: {
      const received = countOf(data.uploaded_bytes);
      return {
        kind: 'accepted',
        publishId,
        socialStatus,
        ...(received === null ? {} : { receivedBytes: received }),
      };
    }
  }
}

/**
 * Where the bytes may go. The real platform only to itself, over https: a URL in a response is no reason to send a
 * customer's file elsewhere. A sandbox may be anywhere.
 */
export function readUploadAddress(data: Fields, apiUrl: string): string | null {
  const text = webAddress(data.upload_url);
  if (text === null) return null;
  const isPlatform = ({ hostname, protocol }: URL) =>
    protocol === 'https:' && (hostname === 'tiktokapis.com' || hostname.endsWith('.tiktokapis.com'));
  return !isPlatform(new URL(apiUrl)) || isPlatform(new URL(text)) ? text : null;
}

function webAddress(value: unknown): string | null {
  const text = textOf(value);
  if (text === null || text.length > 4096 || !URL.canParse(text)) return null;
  return /^https?:$/.test(new URL(text).protocol) ? text : null;
}
