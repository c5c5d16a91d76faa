// Conditional requests (RFC 9110, section 13): `If-Match` and `If-None-Match` against an ETag of ours, which is always strong.
import { hash } from 'node:crypto';
import { AppError, invalid } from '../core/problems.js';

interface Tag {
  opaque: string;
  isWeak: boolean;
}

/** The ETag of a response that has no version. */
export const tagOfBytes = (text: string): string => `"${hash('sha256', text, 'base64url').slice(0, 27)}"`;

/** Fails unless a given `If-Match` names this ETag. A weak tag never matches. */
export function assertIfMatch(header: string | undefined, etag: string): void {
  if (header === undefined) return;
  const tags = parseTags(header);
  if (tags === null)
    throw invalid([{ pointer: '/If-Match', message: 'must be *, or ETags in quotes, separated by commas' }]);
  if (tags === '*' || tags.some(({ opaque, isWeak }) => !isWeak && opaque === etag)) return;
  throw new AppError(
    'precondition_failed',
    'The post has changed since you read it, so nothing was changed. Read it again, and repeat the request with its new ETag.',
  );
}

/** Whether `If-None-Match` names this ETag. A header that cannot be read names none: the full response is always right. */
export function matchesIfNoneMatch(header: string | undefined, etag: string): boolean {
  const tags = header === undefined ? null : parseTags(header);
  return tags === '*' || (tags?.some(({ opaque }) => opaque === etag) ?? false);
}

/** One element of a list, which may be empty, up to the next comma. Spaces match in one part only, so it is linear. */
const ELEMENT = /[ \t]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;

function parseTags(header: string): '*' | Tag[] | null {
  if (header.trim() === '*') return '*';
  const tags: Tag[] = [];
  ELEMENT.lastIndex = 0;
  while (ELEMENT.lastIndex < header.length) {
    const found = ELEMENT.exec(header);
    if (!found) return null;
    if (found[2] !== undefined) tags.push({ opaque: found[2], isWeak: found[1] !== undefined });
  }
  return tags.length === 0 ? null : tags;
}
