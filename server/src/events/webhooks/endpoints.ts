// Use cases on the webhooks of an organization.
import type { Updateable } from 'kysely';
import type { App, TxApp } from '../../app/app.js';
import type { AuditAction } from '../../audit/actions.js';
import { byCaller, recordAudit } from '../../audit/record.js';
import type { AuditDetails } from '../../audit/schema.js';
import { DAY_MS } from '../../core/durations.js';
import { AppError, invalid } from '../../core/problems.js';
import { invalidateResponses } from '../../db/changes.js';
import type { Reader, Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import { lockOrganization } from '../../db/lock-organization.js';
import type { WebhookEndpointRow, WebhookEndpointTable } from '../../db/tables.js';
import type { Caller, CallerWithAddress } from '../../request/caller.js';
import { lockKeyOf } from '../../request/made-with.js';
import { type Page, type PageParameters, pageWindow, paginate } from '../../request/pagination.js';
import { assertProved } from '../../request/proof.js';
import { requireFound } from '../../request/require-found.js';
import { lockEndpoint } from './delivery-order.js';
import { presentWebhook } from './present.js';
import {
  type CreateWebhook,
  MAX_PREVIOUS_SECRETS,
  MAX_WEBHOOKS,
  type NewWebhook,
  type UpdateWebhook,
  type Webhook,
} from './schema.js';
import { findOlderSecrets, newWebhookSecret, sealSecret } from './signature.js';

/** How long a rotated secret still signs. */
const BOTH_SECRETS_MS = DAY_MS;

export async function createWebhook(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  { url, description = null, types = null }: CreateWebhook,
): Promise<NewWebhook> {
  assertUrlAllowed(app, url);
  const { orgId } = caller;
  await lockOrganization(tx, orgId);
  if ((await countWebhooks(tx, orgId)) >= MAX_WEBHOOKS)
    throw new AppError(
      'limit_reached',
      `The organization has ${MAX_WEBHOOKS} webhooks, the most it can have. Delete one first.`,
    );
  const madeWith = await lockKeyOf(tx, caller);
  const secret = newWebhookSecret();
  const now = app.clock.now();
  const key = { org_id: orgId, id: app.newId() };
  const row: WebhookEndpointRow = {
    ...key,
    url,
    description,
    types: types === null ? null : JSON.stringify(types),
    secret: sealSecret(app.seal, key, secret),
    previous_secret: null,
    previous_until: null,
    enabled: 1,
    disabled_reason: null,
    disabled_at: null,
    cursor_seq: await newestSeq(tx, orgId),
    failing_since: null,
    failures: 0,
    created_at: now,
    updated_at: now,
    made_with: madeWith?.id ?? null,
    key_ended_at: null,
  };
  await tx.insertInto('webhook_endpoints').values(row).execute();
  await recordWebhookAudit(app, tx, caller, 'webhook.created', row);
  return { ...presentWebhook(row, now), secret };
}

export async function listWebhooks(
  app: App,
  { orgId }: Caller,
  input: PageParameters,
): Promise<Page<Webhook>> {
  const { limit, offset } = pageWindow(input);
  const rows = await app.db.read
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const now = app.clock.now();
  return paginate(
    rows.map((row) => presentWebhook(row, now)),
    input,
    await countWebhooks(app.db.read, orgId),
  );
}

export const getWebhook = async (app: App, caller: Caller, id: string): Promise<Webhook> =>
  presentWebhook(await requireEndpoint(app.db.read, caller, id), app.clock.now());

export async function updateWebhook(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
  { url, description, types, enabled }: UpdateWebhook,
): Promise<Webhook> {
  if (url !== undefined) assertUrlAllowed(app, url);
  // Before the endpoint, in the order of a revocation.
  const madeWith = await lockKeyOf(tx, caller);
  const before = await lockWebhook(tx, caller, id);
  if (url !== undefined && url !== before.url) assertProved(app, caller);
  const now = app.clock.now();
  const isEnabled = enabled === undefined ? before.enabled : enabled ? 1 : 0;
  const changes: Updateable<WebhookEndpointTable> = {
    ...(url === undefined ? {} : { url }),
    ...(description === undefined ? {} : { description }),
    ...(types === undefined ? {} : { types: types === null ? null : JSON.stringify(types) }),
    ...(isEnabled === before.enabled ? {} : await enabledColumns(tx, before, isEnabled, now)),
  };
  // Who says that events go there answers for it: with a key, it ends with that key.
  if ((url !== undefined && url !== before.url) || isEnabled > before.enabled)
    changes.made_with = madeWith?.id ?? null;
  if (Object.keys(changes).length === 0) return presentWebhook(before, now);
  const after = await write(tx, before, { ...changes, updated_at: now });
  await recordWebhookAudit(app, tx, caller, 'webhook.changed', after, changesOf(before, after));
  return presentWebhook(after, now);
}

function changesOf(before: WebhookEndpointRow, after: WebhookEndpointRow): AuditDetails {
  const fields = (['url', 'description', 'types', 'enabled'] as const).filter(
    (name) => before[name] !== after[name],
  );
  return {
    fields,
    // Origins: the rest of an address may hold a secret.
    ...(fields.includes('url') ? { from: new URL(before.url).origin, to: new URL(after.url).origin } : {}),
    ...(fields.includes('types') ? { types: after.types === null ? null : JSON.parse(after.types) } : {}),
    ...(fields.includes('enabled') ? { enabled: after.enabled === 1 } : {}),
  };
}

/** What happened while it was disabled is not sent, unless a caller recovers it. */
const enabledColumns = async (
  tx: Tx,
  { org_id }: WebhookEndpointRow,
  enabled: 0 | 1,
  now: number,
): Promise<Updateable<WebhookEndpointTable>> =>
  enabled === 0
    ? { enabled, disabled_reason: null, disabled_at: now }
    : {
        enabled,
        disabled_reason: null,
        disabled_at: null,
        key_ended_at: null,
        failing_since: null,
        failures: 0,
        cursor_seq: await newestSeq(tx, org_id),
      };

/** The previous secret signs as well, for a day: each one, however often it is rotated. A trigger keeps the older ones. */
export async function rotateSecret(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
): Promise<NewWebhook> {
  // Before the endpoint, in the order of a revocation.
  const madeWith = await lockKeyOf(tx, caller);
  const before = await lockWebhook(tx, caller, id);
  const now = app.clock.now();
  const older = await findOlderSecrets(tx, before, now);
  const isPreviousValid = before.previous_until !== null && before.previous_until > now;
  if (older.length + Number(isPreviousValid) >= MAX_PREVIOUS_SECRETS)
    throw new AppError(
      'limit_reached',
      `The secret was replaced ${MAX_PREVIOUS_SECRETS} times in the last 24 hours, and messages are still signed with each of the old ones. Try again when the first of them is 24 hours old.`,
    );
  const secret = newWebhookSecret();
  const after = await write(tx, before, {
    secret: sealSecret(app.seal, before, secret),
    previous_secret: before.secret,
    previous_until: now + BOTH_SECRETS_MS,
    // Who knows the secret can send messages in our name: with a key, it ends with that key.
    made_with: madeWith?.id ?? null,
    updated_at: now,
  });
  await recordWebhookAudit(app, tx, caller, 'webhook.secret_rotated', after);
  return { ...presentWebhook(after, now), secret };
}

/** What is left of its deliveries is not sent, and expires. */
export async function deleteWebhook(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
): Promise<void> {
  const endpoint = await lockWebhook(tx, caller, id);
  await tx.deleteFrom('webhook_endpoints').where(isRow(endpoint)).execute();
  await recordWebhookAudit(app, tx, caller, 'webhook.deleted', endpoint);
}

export const requireEndpoint = (
  read: Reader,
  caller: Pick<Caller, 'orgId'>,
  id: string,
): Promise<WebhookEndpointRow> =>
  requireFound('webhook', caller, id, (row) =>
    read.selectFrom('webhook_endpoints').selectAll().where(isRow(row)).executeTakeFirst(),
  );

export const lockWebhook = (tx: Tx, caller: Caller, id: string): Promise<WebhookEndpointRow> =>
  requireFound('webhook', caller, id, (row) => lockEndpoint(tx, row));

export function assertEnabled({ enabled }: WebhookEndpointRow): void {
  if (enabled === 0)
    throw new AppError('webhook_disabled', 'The webhook is disabled, so nothing is sent. Enable it first.');
}

/** An address that is certainly not public is refused now; what a name resolves to is checked at each request. */
function assertUrlAllowed({ outbound }: TxApp, url: string): void {
  const refusal = outbound.refusal(url);
  if (refusal !== null) throw invalid([{ pointer: '/url', message: refusal }]);
}

const write = (
  tx: Tx,
  { org_id, id }: WebhookEndpointRow,
  changes: Updateable<WebhookEndpointTable>,
): Promise<WebhookEndpointRow> =>
  tx
    .updateTable('webhook_endpoints')
    .set(changes)
    .where(isRow({ org_id, id }))
    .returningAll()
    .executeTakeFirstOrThrow();

/** Call it before `recordEvent`. */
export async function recordWebhookAudit(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  action: AuditAction,
  { org_id, id, url }: WebhookEndpointRow,
  details: AuditDetails = {},
): Promise<void> {
  invalidateResponses(tx, org_id);
  await recordAudit(app, tx, byCaller(caller), { action, target: { id, name: new URL(url).host }, details });
}

async function countWebhooks(read: Reader | Tx, orgId: string): Promise<number> {
  const { n } = await read
    .selectFrom('webhook_endpoints')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return Number(n);
}

async function newestSeq(tx: Tx, orgId: string): Promise<number> {
  const counter = await tx
    .selectFrom('event_counters')
    .select('last')
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  return counter?.last ?? 0;
}
