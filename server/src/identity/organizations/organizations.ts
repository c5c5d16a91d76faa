// Organizations: created and changed by the operator, read by their members.
import type { Updateable } from 'kysely';
import type { App, TxApp } from '../../app/app.js';
import { type Act, byCaller, byOperator, recordAudit } from '../../audit/record.js';
import { isRealPlatform } from '../../config/platform.js';
import { parseTimestamp, toTimestamp } from '../../core/clock.js';
import { DAY_MS } from '../../core/durations.js';
import { asUuid } from '../../core/ids.js';
import { AppError, unauthorized } from '../../core/problems.js';
import type { Reader, Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import { lockOrganization } from '../../db/lock-organization.js';
import type { OrganizationRow, OrganizationTable } from '../../db/tables.js';
import { joinEpoch } from '../../events/epochs.js';
import { inTrial, ownQuotas, TRIAL_DAYS } from '../../quotas/plans.js';
import { forgetDailyPosts } from '../../quotas/quotas.js';
import type { UpdateQuotas } from '../../quotas/schema.js';
import { readQuotaUsage } from '../../quotas/usage.js';
import type { Caller, CallerWithAddress, SessionCaller } from '../../request/caller.js';
import { type Page, type PageParameters, pageWindow, paginate } from '../../request/pagination.js';
import { assertProved } from '../../request/proof.js';
import { hasFactor } from '../has-factor.js';
import type {
  CreateOrganization,
  ManagedOrganization,
  Me,
  Organization,
  UpdateOrganization,
  UpdateOwnOrganization,
} from './schema.js';

export async function createOrganization(
  app: TxApp,
  tx: Tx,
  input: CreateOrganization,
): Promise<ManagedOrganization> {
  const now = app.clock.now();
  const days = input.trial_days ?? TRIAL_DAYS;
  const row: OrganizationRow = {
    id: app.newId(),
    name: input.name,
    plan: input.plan,
    trial_ends_at: days === 0 ? null : now + days * DAY_MS,
    quotas: null,
    second_factor: 'optional',
    created_at: now,
    updated_at: now,
  };
  await tx.insertInto('organizations').values(row).execute();
  await joinEpoch(tx, row.id);
  return presentManaged(app, tx, row);
}

/** The operator's; a person who signs up founds one without this row. */
export async function createOrganizationByOperator(
  app: TxApp,
  tx: Tx,
  address: string,
  input: CreateOrganization,
): Promise<Organization> {
  const organization = await createOrganization(app, tx, input);
  await recordAudit(app, tx, byOperator(organization.id, address), {
    action: 'organization.created',
    target: organization,
    details: { plan: organization.plan },
  });
  return organization;
}

/** `address` is the operator's. */
export async function updateOrganization(
  app: TxApp,
  tx: Tx,
  address: string,
  id: string,
  input: UpdateOrganization,
): Promise<ManagedOrganization> {
  const orgId = await requireOrganization(tx, id);
  const before = await lockOrganization(tx, orgId);
  const changes: Updateable<OrganizationTable> = { updated_at: app.clock.now() };
  if (input.plan) changes.plan = input.plan;
  if (input.quotas) changes.quotas = changedQuotas(before, input.quotas);
  if (input.trial_ends_at !== undefined)
    changes.trial_ends_at = input.trial_ends_at === null ? null : parseTimestamp(input.trial_ends_at);
  const row = await tx
    .updateTable('organizations')
    .set(changes)
    .where('id', '=', orgId)
    .returningAll()
    .executeTakeFirstOrThrow();
  const acts = changesOf(before, row, {
    'organization.plan_changed': ({ plan }) => plan,
    'organization.trial_changed': trialEnd,
    'organization.quotas_changed': ({ quotas }) => quotas,
  });
  await recordAudit(app, tx, byOperator(orgId, address), ...acts);
  if (input.plan || input.quotas) await forgetDailyPosts(app, tx, orgId, row);
  return presentManaged(app, tx, row);
}

/** An act for each value that differs. */
function changesOf(
  before: OrganizationRow,
  after: OrganizationRow,
  values: Partial<Record<Act['action'], (row: OrganizationRow) => string | null>>,
): Act[] {
  return Object.entries(values).flatMap(([action, read]) => {
    const [from, to] = [read(before), read(after)];
    return from === to ? [] : [{ action: action as Act['action'], target: after, details: { from, to } }];
  });
}

const trialEnd = ({ trial_ends_at }: OrganizationRow) =>
  trial_ends_at === null ? null : toTimestamp(trial_ends_at);

/** The organization's own quotas after a change: a number sets one, null gives it back to the plan. */
function changedQuotas(before: OrganizationRow, changes: UpdateQuotas): string | null {
  const own = Object.entries({ ...ownQuotas(before), ...changes }).filter(([, n]) => n !== null);
  return own.length === 0 ? null : JSON.stringify(Object.fromEntries(own));
}

export async function listOrganizations(app: App, input: PageParameters): Promise<Page<ManagedOrganization>> {
  const { limit, offset } = pageWindow(input);
  const { n } = await app.db.read
    .selectFrom('organizations')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  const rows = await app.db.read
    .selectFrom('organizations')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const data: ManagedOrganization[] = [];
  // One after the other: the operator's list must not take the connections of everyone.
  for (const row of rows) data.push(await presentManaged(app, app.db.read, row));
  return paginate(data, input, n);
}

export async function getOrganization(app: App, id: string): Promise<ManagedOrganization> {
  const orgId = await requireOrganization(app.db.read, id);
  const organizations = app.db.read.selectFrom('organizations').selectAll().where('id', '=', orgId);
  return presentManaged(app, app.db.read, await organizations.executeTakeFirstOrThrow());
}

/** The id in canonical form, if the organization exists. */
export async function requireOrganization(read: Reader | Tx, id: string): Promise<string> {
  const uuid = asUuid(id);
  const found =
    uuid !== null &&
    (await read.selectFrom('organizations').select('id').where('id', '=', uuid).executeTakeFirst());
  if (!found) throw new AppError('not_found', 'There is no such organization. Check the id.');
  return found.id;
}

export async function updateOwnOrganization(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  input: UpdateOwnOrganization,
): Promise<Organization> {
  const before = await lockOrganization(tx, caller.orgId);
  const { name = before.name, second_factor = before.second_factor } = input;
  if (input.second_factor !== undefined) await assertMayRequireFactors(app, tx, caller);
  const row = await tx
    .updateTable('organizations')
    .set({ name, second_factor, updated_at: app.clock.now() })
    .where('id', '=', caller.orgId)
    .returningAll()
    .executeTakeFirstOrThrow();
  const acts = changesOf(before, row, {
    'organization.renamed': (organization) => organization.name,
    'organization.second_factor_changed': (organization) => organization.second_factor,
  });
  await recordAudit(app, tx, byCaller(caller), ...acts);
  return presentOrganization(row);
}

/** Who requires a second factor of others has one: an owner must not lock themselves out. */
async function assertMayRequireFactors(app: TxApp, tx: Tx, caller: CallerWithAddress): Promise<void> {
  if (caller.via === 'key' || caller.role !== 'owner')
    throw new AppError('forbidden', 'Only a signed-in owner can change what sign-in requires.');
  assertProved(app, caller);
  if (!(await hasFactor(tx, { org_id: caller.orgId, id: caller.personId })))
    throw new AppError(
      'second_factor_required',
      'Add a second factor of your own first, under Settings → Security.',
    );
}

/** The caller's organization, plan, trial, quotas and scopes. */
export async function whoAmI(app: TxApp, read: Reader, caller: Caller): Promise<Me> {
  const row = await read
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', caller.orgId)
    .executeTakeFirstOrThrow();
  const { socialApiUrl, command, scheduleMinLeadMs } = app.config;
  return {
    organization: presentOrganization(row),
    in_trial: inTrial({ plan: row.plan, trialEndsAt: row.trial_ends_at }, app.clock.now()),
    scopes: [...caller.scopes],
    via: caller.via,
    key_id: caller.via === 'key' ? caller.keyId : null,
    ...(caller.via === 'key' ? { user: null, role: null } : await personBehind(read, caller)),
    quotas: await readQuotaUsage(app, read, row.id, row),
    schedule_min_lead_seconds: scheduleMinLeadMs / 1000,
    safe_mode: app.safety.mode.kind === 'safe',
    safe_mode_reason: app.safety.mode.kind === 'safe' ? app.safety.mode.reason : null,
    platform: {
      is_sandbox: !isRealPlatform(socialApiUrl),
      feed_url: socialApiUrl === null && command === 'serve' ? '/sandbox/' : null,
    },
  };
}

async function personBehind(
  read: Reader,
  { orgId, personId }: SessionCaller,
): Promise<Pick<Me, 'user' | 'role'>> {
  const person = await read
    .selectFrom('people')
    .select(['id', 'name', 'email', 'role', 'password_hash', 'time_format', 'email_verified_at'])
    .where(isRow({ org_id: orgId, id: personId }))
    .executeTakeFirst();
  // The person was removed a moment ago.
  if (!person) throw unauthorized('The session has ended. Sign in again.');
  const { role, password_hash, email_verified_at, ...user } = person;
  return {
    user: {
      ...user,
      email_verified: email_verified_at !== null,
      has_password: password_hash !== null,
      has_second_factor: await hasFactor(read, { org_id: orgId, id: personId }),
    },
    role,
  };
}

const presentManaged = async (
  app: Pick<TxApp, 'config' | 'clock'>,
  read: Reader,
  row: OrganizationRow,
): Promise<ManagedOrganization> => ({
  ...presentOrganization(row),
  quotas: await readQuotaUsage(app, read, row.id, row),
});

function presentOrganization(row: OrganizationRow): Organization {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    trial_ends_at: trialEnd(row),
    second_factor: row.second_factor,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}
