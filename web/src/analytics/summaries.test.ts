import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timeline } from './queries.js';
import { summarizeAttempts } from './summaries.js';

const timeline = (counts: Record<string, number>) =>
  ({
    totals: { dispatches: 41, failed: 4, unknown: 0 },
    failures: Object.entries(counts).map(([code, count]) => ({ code, count })),
  }) as unknown as Timeline;

test('the reasons beyond the most frequent ones are counted too', () => {
  const two = { picture_size_check_failed: 2, spam_risk_text: 1 };
  assert.match(summarizeAttempts(timeline(two)), /2 × unsupported image size, 1 × [^,]+\.$/);
  const three = { ...two, too_late: 1 };
  assert.match(summarizeAttempts(timeline(three)), /, 1 × [^,]+, 1 × (?!other)[^,]+\.$/);
  assert.match(summarizeAttempts(timeline({ ...three, internal: 2 })), /, 1 × [^,]+, 3 × other\.$/);
});
