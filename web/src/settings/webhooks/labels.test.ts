import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attemptResultText, eventsText, formatted, statusOfWebhook, whyDisabled } from './labels.js';

const FINE = { enabled: true, disabled_reason: null, failing_since: null };

describe('the words of webhooks', () => {
  it('a webhook is enabled, failing or disabled, and needs attention if Airdate disabled it', () => {
    assert.deepEqual(statusOfWebhook(FINE), { tone: 'posted', label: 'Enabled' });
    const failing = { ...FINE, failing_since: '2026-12-01T18:00:00Z' };
    assert.deepEqual(statusOfWebhook(failing), { tone: 'attention', label: 'Failing' });
    assert.deepEqual(statusOfWebhook({ ...failing, enabled: false }), { tone: 'draft', label: 'Disabled' });
    const gone = { ...failing, enabled: false, disabled_reason: 'gone' as const };
    assert.deepEqual(statusOfWebhook(gone), { tone: 'attention', label: 'Disabled' });
  });

  it('a disabled webhook says why', () => {
    assert.equal(whyDisabled(FINE), null);
    assert.match(whyDisabled({ ...FINE, enabled: false }) ?? '', /by a person or an app/);
    assert.match(whyDisabled({ ...FINE, enabled: false, disabled_reason: 'gone' }) ?? '', /410/);
    assert.match(whyDisabled({ ...FINE, enabled: false, disabled_reason: 'failing' }) ?? '', /five days/);
    assert.match(whyDisabled({ ...FINE, enabled: false, disabled_reason: 'key_ended' }) ?? '', /API key/);
  });

  it('events go by their names, those of other versions by their types', () => {
    assert.equal(eventsText(null), 'All events');
    assert.equal(eventsText(['post.published', 'post.deleted']), 'Post published, Post deleted');
    assert.equal(eventsText(['post.sung' as 'post.deleted']), 'post.sung');
  });

  it('an attempt shows its status, or why there was no response', () => {
    assert.equal(attemptResultText({ status: 500, error: null, ms: 12 }), 'HTTP 500 after 12 ms');
    assert.equal(
      attemptResultText({ status: null, error: 'Connection refused', ms: 3 }),
      'No response after 3 ms: Connection refused',
    );
  });

  it('a body is formatted if it is JSON', () => {
    assert.equal(formatted('{"a":1}'), '{\n  "a": 1\n}');
    assert.equal(formatted('{"a":'), '{"a":');
  });
});
