import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlatformFailure } from '../connector.js';
import { type Call, CODES, FAIL_REASONS, failedOutcome, failureFrom } from './outcomes.js';

const CALLS: Call[] = [
  'creator',
  'identity',
  'init_pull',
  'init_upload',
  'status',
  'exchange',
  'refresh',
  'revoke',
];
const outcomeOf = (call: Call, status: number, code: string, message = '') =>
  failureFrom(call, { refusal: { status, code, message } });

/** A kind with what qualifies it, in one word. */
function short(failure: PlatformFailure): string {
  switch (failure.kind) {
    case 'unknown':
      return 'unknown';
    case 'reauthorize':
      return failure.cure;
    case 'refused':
      return failure.isRepeatable ? 'repeatable' : 'refused';
    case 'later':
      return 'later';
    case 'blocked':
      return `${failure.scope} blocked`;
  }
}

/** Platform facts, 4.2 and 4.3: what each code means for an init that pulls, for one that uploads, and for a status query. */
const CONTENT: [status: number, code: string, pull: string, upload: string, status_: string][] = [
  [400, 'invalid_param', 'refused', 'refused', 'unknown'],
  [400, 'invalid_params', 'refused', 'refused', 'unknown'],
  [400, 'invalid_file_upload', 'refused', 'refused', 'unknown'],
  [400, 'app_version_check_failed', 'refused', 'refused', 'unknown'],
  [400, 'invalid_publish_id', 'refused', 'refused', 'unknown'],
  [400, 'token_not_authorized_for_specified_publish_id', 'refused', 'refused', 'unknown'],
  [400, 'publish_not_cancellable', 'refused', 'refused', 'unknown'],
  [401, 'access_token_invalid', 'refresh', 'refresh', 'refresh'],
  [401, 'scope_not_authorized', 'consent', 'consent', 'consent'],
  [400, 'scope_permission_missed', 'consent', 'consent', 'consent'],
  [403, 'spam_risk_too_many_posts', 'account blocked', 'account blocked', 'unknown'],
  [403, 'spam_risk_user_banned_from_posting', 'account blocked', 'account blocked', 'unknown'],
  [403, 'spam_risk_too_many_pending_share', 'account blocked', 'account blocked', 'unknown'],
  [400, 'spam_risk_too_many_pending_share', 'account blocked', 'account blocked', 'unknown'],
  [403, 'spam_risk_text', 'refused', 'refused', 'unknown'],
  [403, 'spam_risk', 'refused', 'refused', 'unknown'],
  [403, 'reached_active_user_cap', 'platform blocked', 'platform blocked', 'unknown'],
  [403, 'unaudited_client_can_only_post_to_private_accounts', 'refused', 'refused', 'unknown'],
  [403, 'url_ownership_unverified', 'refused', 'refused', 'unknown'],
  [403, 'privacy_level_option_mismatch', 'refused', 'refused', 'unknown'],
  [429, 'rate_limit_exceeded', 'later', 'later', 'later'],
  [500, 'internal_error', 'unknown', 'unknown', 'later'],
  [200, 'internal_error', 'unknown', 'unknown', 'later'],
  // Without a code, or with an unknown one.
  [500, '', 'unknown', 'unknown', 'later'],
  [502, '', 'unknown', 'unknown', 'later'],
  [503, 'something_new', 'unknown', 'unknown', 'later'],
  [408, '', 'unknown', 'unknown', 'later'],
  [429, '', 'later', 'later', 'later'],
  [401, '', 'refresh', 'refresh', 'refresh'],
  [403, '', 'refused', 'refused', 'unknown'],
  [404, '', 'refused', 'refused', 'unknown'],
  [400, 'something_new', 'refused', 'refused', 'unknown'],
  [200, 'something_new', 'refused', 'refused', 'unknown'],
];

describe('an error of the content API', () => {
  for (const [status, code, pull, upload, poll] of CONTENT)
    it(`${status} ${code || '(none)'}: ${pull} · ${upload} · ${poll}`, () => {
      const outcomes = (['init_pull', 'init_upload', 'status'] as const).map((call) =>
        outcomeOf(call, status, code),
      );
      assert.deepEqual(outcomes.map(short), [pull, upload, poll]);
      for (const { reason } of outcomes) assert.ok(reason.endsWith(` (${code || `http_${status}`})`), reason);
    });

  it('that the creator endpoint answers with 200 on purpose still blocks', () => {
    for (const [code, expected] of [
      ['spam_risk_too_many_posts', 'account blocked'],
      ['spam_risk_user_banned_from_posting', 'account blocked'],
      ['reached_active_user_cap', 'platform blocked'],
    ] as const)
      assert.equal(short(outcomeOf('creator', 200, code)), expected);
  });

  it('about a block tells for how long, and whether capacity is freed post by post', () => {
    const blockOf = (code: string) => {
      const { windowMs, isRolling } = outcomeOf('init_pull', 403, code) as PlatformFailure & {
        kind: 'blocked';
      };
      return [windowMs, isRolling];
    };
    const dayMs = 86_400_000;
    assert.deepEqual(blockOf('spam_risk_too_many_posts'), [dayMs, true]);
    assert.deepEqual(blockOf('spam_risk_too_many_pending_share'), [dayMs, true]);
    assert.deepEqual(blockOf('reached_active_user_cap'), [dayMs, true]);
    assert.deepEqual(blockOf('spam_risk_user_banned_from_posting'), [dayMs, false]);
  });

  it('about a block says nothing of accounts in calls that publish nothing', () => {
    for (const call of ['identity', 'exchange', 'refresh', 'revoke'] as const)
      assert.equal(short(outcomeOf(call, 403, 'reached_active_user_cap')), 'refused');
  });

  it('for an unknown id is known by its message too', () => {
    const outcome = outcomeOf('status', 400, 'invalid_params', 'invalid_publish_id');
    assert.deepEqual([outcome.kind, outcome.code], ['unknown', 'invalid_publish_id']);
  });

  it('asks for a pause as long as it says, or a minute', () => {
    assert.equal(
      (outcomeOf('status', 429, 'rate_limit_exceeded') as { retryAfterMs?: number }).retryAfterMs,
      60_000,
    );
    const refusal = { status: 429, code: '', message: '', retryAfterMs: 7000 };
    assert.equal((failureFrom('init_pull', { refusal }) as { retryAfterMs?: number }).retryAfterMs, 7000);
  });

  it('never reports a failed post when only the status query failed', () => {
    const codes = [...Object.keys(CODES), '', 'something_new'];
    for (const code of codes)
      for (const status of [200, 400, 401, 403, 404, 429, 500, 503])
        assert.notEqual(outcomeOf('status', status, code).kind, 'refused', `${status} ${code}`);
  });
});

/** Platform facts, 7.3. */
const OAUTH: [code: string, exchange: string, refresh: string, revoke: string][] = [
  ['access_denied', 'refused', 'refused', 'refused'],
  ['invalid_client', 'refused', 'refused', 'refused'],
  ['invalid_grant', 'refused', 'consent', 'refresh'],
  ['invalid_request', 'refused', 'refused', 'refused'],
  ['invalid_scope', 'refused', 'refused', 'refused'],
  ['unauthorized_client', 'refused', 'refused', 'refused'],
  ['unsupported_grant_type', 'refused', 'refused', 'refused'],
  ['unsupported_response_type', 'refused', 'refused', 'refused'],
  ['server_error', 'later', 'later', 'later'],
  ['temporarily_unavailable', 'later', 'later', 'later'],
];

describe('an error of the token endpoints', () => {
  for (const [code, ...kinds] of OAUTH)
    it(`${code}: ${kinds.join(' · ')}, whatever the HTTP status`, () => {
      for (const status of [200, 400])
        assert.deepEqual(
          (['exchange', 'refresh', 'revoke'] as const).map((call) => short(outcomeOf(call, status, code))),
          kinds,
        );
    });
});

describe('the table of codes', () => {
  it('has every code that is tested here, and none besides', () => {
    const tested = [...CONTENT.map(([, code]) => code), ...OAUTH.map(([code]) => code)];
    const known = tested.filter((code) => code !== '' && code !== 'something_new');
    assert.deepEqual(Object.keys(CODES).sort(), [...new Set(known)].sort());
  });

  it('is not fooled by names that every object has', () => {
    assert.equal(short(outcomeOf('init_pull', 400, 'constructor')), 'refused');
    assert.equal(short(failedOutcome('__proto__')), 'refused');
  });
});

describe('a call without an answer', () => {
  const LOST: Record<Call, string> = {
    creator: 'later',
    identity: 'later',
    init_pull: 'unknown',
    init_upload: 'unknown',
    status: 'later',
    exchange: 'unknown',
    refresh: 'unknown',
    revoke: 'unknown',
  };
  for (const call of CALLS)
    it(`${call}: ${LOST[call]} if it may have arrived, later if not`, () => {
      assert.equal(short(failureFrom(call, { fault: 'not_sent' })), 'later');
      assert.equal(short(failureFrom(call, { fault: 'lost' })), LOST[call]);
      assert.equal(short(failureFrom(call, { fault: 'malformed' })), LOST[call]);
    });
});

describe('a post that the platform gave up', () => {
  const REASONS: [reason: string, isRepeatable: boolean, isBlock?: true][] = [
    ['file_format_check_failed', false],
    ['duration_check_failed', false],
    ['frame_rate_check_failed', false],
    ['picture_size_check_failed', false],
    ['internal', true],
    ['video_pull_failed', true],
    ['photo_pull_failed', true],
    ['publish_cancelled', false],
    ['auth_removed', false],
    ['spam_risk_too_many_posts', false, true],
    ['spam_risk_user_banned_from_posting', false, true],
    ['spam_risk_text', false],
    ['spam_risk', false],
  ];
  for (const [reason, isRepeatable, isBlock] of REASONS)
    it(`${reason}: ${isBlock ? 'blocks the account' : `${isRepeatable ? 'may' : 'must not'} be tried again`}`, () => {
      const outcome = failedOutcome(reason);
      assert.equal(short(outcome), isBlock ? 'account blocked' : isRepeatable ? 'repeatable' : 'refused');
      assert.ok(outcome.reason.endsWith(` (${reason})`));
    });

  it('is in the table with every reason; with an unknown one it is not retried', () => {
    assert.deepEqual(Object.keys(FAIL_REASONS).sort(), REASONS.map(([reason]) => reason).sort());
    assert.deepEqual([short(failedOutcome('new')), short(failedOutcome(''))], ['refused', 'refused']);
    assert.ok(failedOutcome('<script>').reason.endsWith(' (failed)'));
  });
});

describe('reasons', () => {
  it('are one short line with the code at its end', () => {
    const texts = [...Object.values(CODES), ...Object.values(FAIL_REASONS)].map(([, text]) => text);
    for (const text of texts) assert.match(text, /^[A-Z][^()\n]{5,110}[^.!\s]$/);
  });

  it('hold nothing of what the platform wrote but a clean code', () => {
    const secret = 'act.secret <script>';
    for (const call of CALLS) {
      const { reason, code } = outcomeOf(call, 400, secret, secret);
      assert.ok(!reason.includes('secret') && !code.includes('secret'), reason);
    }
  });
});
