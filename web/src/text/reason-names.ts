// What failed, in the same few words on every screen. The platform's codes are for support: they are shown on hover.
const REASONS: Readonly<Record<string, string>> = {
  // Given by the platform.
  app_version_check_failed: 'Outdated app on the phone',
  auth_removed: 'Access revoked',
  duration_check_failed: 'Video too long or too short',
  file_format_check_failed: 'Unsupported file format',
  frame_rate_check_failed: 'Unsupported frame rate',
  internal: 'Error of the platform',
  internal_error: 'Error of the platform',
  invalid_file_upload: 'File not accepted',
  invalid_param: 'Post not accepted',
  invalid_params: 'Post not accepted',
  photo_pull_failed: 'Slides couldn’t be fetched',
  picture_size_check_failed: 'Unsupported image size',
  privacy_level_option_mismatch: 'Audience not allowed',
  publish_cancelled: 'Publishing cancelled',
  rate_limit_exceeded: 'Too many requests',
  reached_active_user_cap: 'App limit for the day reached',
  scope_not_authorized: 'Permission missing',
  scope_permission_missed: 'Permission missing',
  spam_risk: 'Flagged as spam',
  spam_risk_text: 'Text flagged as spam',
  spam_risk_too_many_pending_share: 'Too many drafts in the inbox',
  spam_risk_too_many_posts: 'Daily post limit reached',
  spam_risk_user_banned_from_posting: 'Account banned from posting',
  unaudited_client_can_only_post_to_private_accounts: 'App not audited yet',
  url_ownership_unverified: 'Domain not verified',
  video_pull_failed: 'Video couldn’t be fetched',
  // Given by Airdate.
  account_blocked: 'Blocked by the platform',
  archived: 'Archived while publishing',
  attempt_lost: 'Attempt lost',
  bad_answer: 'Unreadable answer from the platform',
  branded_content_private: 'Branded content can’t be private',
  cover_out_of_range: 'Cover slide missing',
  interrupted: 'Publishing interrupted',
  key_unknown: 'Encryption key unavailable',
  media_rejected: 'File rejected',
  no_answer: 'No answer from the platform',
  no_final_status: 'No final status',
  no_media: 'No slides or video',
  not_found: 'Unknown to the platform',
  not_reached: 'No connection to the platform',
  privacy_level_missing: 'No audience chosen',
  reconnect_required: 'Account needs reconnecting',
  resolved_not_posted: 'Resolved as not posted',
  restored: 'Restored from a backup',
  safe_mode: 'Safe mode',
  slide_count: 'Number of slides not allowed',
  slot_missed: 'Scheduled time missed',
  store_unavailable: 'File store unavailable',
  too_late: 'Too late to publish',
  unavailable: 'Database unavailable',
  upload_expired: 'Upload timed out',
  uploads_pending: 'Waiting for a file',
};

/** "Unsupported image size". A code that is not known yet, by its own words. */
export const formatReason = (code: string): string =>
  nameOfReason(code) ?? code.replaceAll(/[_.-]+/g, ' ').replace(/^./, (letter) => letter.toUpperCase());

/** Undefined for a code that is not known yet. */
export const nameOfReason = (code: string): string | undefined =>
  Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
