// The fields that an entry of the audit log names, as the screens call them.

/** "files, cover"; false if there are none. */
export const listed = (fields: readonly string[] | undefined): string | false =>
  fields && fields.length > 0 ? [...new Set(fields.map(fieldName))].join(', ') : false;

const fieldName = (field: string): string => FIELD_NAMES[field] ?? field.replaceAll('_', ' ');

/** Where the screens call it otherwise than the API. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  cover_index: 'cover',
  cover_ms: 'cover',
  social_account_id: 'account',
  privacy_level: 'audience',
  publish_mode: 'delivery',
  disable_comment: 'comments',
  disable_duet: 'duets',
  disable_stitch: 'stitches',
  brand_content_toggle: 'disclosure',
  brand_organic_toggle: 'disclosure',
  scheduled_at: 'time',
};
