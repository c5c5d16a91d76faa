import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuditEntry } from '@airdate/sdk/core';
import { SETTINGS, searchBy } from '../text/search-params.js';
import { ACTION_GROUPS } from './audit-groups.js';
import { queryOf } from './audit-search.js';
import { ACTIONS, type AuditAction, sentenceOf } from './audit-sentences.js';

type Actor = AuditEntry['actor'];

const ADA: Actor = { kind: 'person', id: 'p', name: 'Ada' };
const SYSTEM: Actor = { kind: 'system', id: null, name: 'Airdate' };
const OPERATOR: Actor = { kind: 'operator', id: null, name: 'Operator' };

function told(
  action: AuditAction,
  actor: Actor,
  name: string | null,
  details: AuditEntry['details'] = {},
): string {
  const target = { kind: 'post', id: 't', name } as const;
  const entry = { id: 'e', at: '2026-12-01T18:00:00Z', address: null, action, actor, target, details };
  const { who, did, more } = sentenceOf(entry, 'TikTok');
  return [`${who} ${did}`, ...more].join(' · ');
}

describe('an entry of the audit log', () => {
  it('reads as a sentence', () => {
    assert.equal(
      told('key.revoked', ADA, 'CI', { keys_ended: 3 }),
      'Ada revoked the API key “CI” · 3 keys ended with it',
    );
    assert.equal(told('key.revoked', ADA, 'CI', { keys_ended: 0 }), 'Ada revoked the API key “CI”');
    assert.equal(
      told('person.sign_in_failed', SYSTEM, 'Ada', { count: 1 }),
      'Airdate blocked 1 sign-in as Ada · wrong password',
    );
    assert.equal(
      told('post.publish_started', SYSTEM, 'Night train', { trigger: 'schedule' }),
      'Airdate started publishing “Night train” · as scheduled',
    );
    assert.equal(
      told('post.publish_started', { ...ADA, kind: 'key', name: 'CI' }, 'Night train', { trigger: 'api' }),
      'API key “CI” started publishing “Night train”',
    );
    assert.equal(
      told('organization.plan_changed', OPERATOR, 'Field Notes', { from: 'starter', to: 'api_only' }),
      'Airdate administrator changed the plan from Starter to API only',
    );
    assert.equal(
      told('member.removed', ADA, 'Grace', { role: 'editor', keys_ended: 1, sessions_ended: 2 }),
      'Ada removed Grace (editor) · 1 key ended · 2 sessions ended',
    );
    assert.equal(
      told('invitation.created', ADA, null, { role: 'viewer' }),
      'Ada created an invitation link as viewer',
    );
    assert.equal(
      told('account.connected', ADA, 'night.baker', { is_reconnected: false }),
      'Ada connected @night.baker',
    );
    assert.equal(
      told('account.revoked', { kind: 'platform', id: null, name: 'Platform' }, 'night.baker'),
      'TikTok ended Airdate’s access to @night.baker',
    );
  });

  it('has no words of the API', () => {
    const reason = 'The access of this account has ended. Reconnect it (invalid_grant)';
    assert.equal(
      told('account.revoked', ADA, 'night.baker', { reason }),
      'Ada ended Airdate’s access to @night.baker · The access of this account has ended. Reconnect it.',
    );
    assert.equal(
      told('post.edited', ADA, 'Maps', { fields: ['files', 'cover_index', 'cover_ms', 'privacy_level'] }),
      'Ada edited “Maps” · files, cover, audience',
    );
  });

  it('has a sentence and a place in the filters, whatever its action', () => {
    const actions = ACTION_GROUPS.flatMap((one) => Object.keys(one.actions)) as AuditAction[];
    assert.deepEqual(actions.toSorted(), ACTIONS.toSorted());
    for (const action of actions)
      assert.doesNotMatch(told(action, ADA, 'It'), /undefined|null|\[object/, action);
  });
});

describe('the URL of the audit log', () => {
  it('becomes a query, without what the API would refuse', () => {
    assert.deepEqual(queryOf({}), { per_page: 30, page: 1 });
    assert.deepEqual(queryOf({ actor: 'operator', action: 'key.created,key.eaten', page: 2 }), {
      per_page: 30,
      page: 2,
      actor_kind: 'operator',
      action: ['key.created'],
    });
    assert.deepEqual(queryOf({ action: 'key.eaten' }), { per_page: 30, page: 1 });
    const search = searchBy(SETTINGS)({ actor: 'some id', from: '2026-12-01', to: '2026-13-99' });
    const { from, to, actor_id } = queryOf(search);
    assert.equal(actor_id, 'some id');
    assert.equal(from, new Date(2026, 11, 1).toISOString());
    assert.equal(to, undefined);
  });
});
