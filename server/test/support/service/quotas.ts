// Shared by the tests of quotas: reading them as a member does, and setting them as the operator does.
import assert from 'node:assert/strict';
import type { QuotaName } from '../../../src/config/quotas.js';
import { ADMIN_TOKEN, type Organization, type TestService } from './harness.js';

type Quotas = Record<QuotaName, { used: number; limit: number | null }>;

export async function quotasOf(org: Organization): Promise<Quotas> {
  return (await org.call('GET', '/api/v1/me')).json.data.quotas;
}

export async function setQuotas(
  service: TestService,
  org: Organization,
  quotas: Partial<Record<QuotaName, number | null>>,
) {
  const path = `/api/admin/v1/organizations/${org.id}`;
  const answer = await service.request('PATCH', path, { key: ADMIN_TOKEN, body: { quotas } });
  assert.equal(answer.status, 200, answer.text);
  return answer.json.data;
}
