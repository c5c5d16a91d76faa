// Every route that changes something leaves one row in the audit log, or says here why it leaves none. Each one with a row is
// called over HTTP, and the row is looked for.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ACTIONS, type AuditAction } from '../../src/audit/actions.js';
import type { AuditRow } from '../../src/db/tables.js';
import { declareRestored } from '../../src/operator/safe-mode-commands.js';
import { ACCESS } from '../../src/request/access.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type Organization, useService } from '../support/service/harness.js';
import {
  createOne,
  fill,
  type Operation,
  openedByBody,
  operationsOf,
  readDocument,
  type Slot,
  sessionHeaders,
  slotsOf,
} from '../support/service/routes.js';
import type { Answer } from '../support/service/send.js';

interface Done {
  org: Organization;
  ids: string[];
  answer: Answer;
  /** The newest row before the request. */
  made: AuditRow | undefined;
  row: AuditRow;
}

/** The id of the target that the row must name. */
type Target = (done: Done) => string | null | Promise<string | null>;

const inRequest: Target = ({ ids }) => ids.at(-1) ?? null;
const inAnswer: Target = ({ answer }) => answer.json.data.id;
const self: Target = ({ row }) => row.actor_id;
const organization: Target = ({ org }) => org.id;
const installation: Target = () => null;

const DRAFT = 'a draft is changed: nothing goes out, and the post shows its text and files';
const CONTENT = 'content, not access: every member sees it, and nothing goes out';
const SANDBOX = 'the sandbox is another service, and has no organizations';

/** Every route that changes something: its action and target, or the reason why it leaves no row. */
const ROUTES: Record<string, [AuditAction, Target] | string> = {
  'POST /api/v1/auth/sign-up': ['person.signed_up', self],
  'POST /api/v1/auth/sign-in': ['person.signed_in', self],
  'POST /api/v1/auth/enter': ['person.signed_in', self],
  'POST /api/v1/auth/forgot': 'anyone can ask; the link that may follow has a row when it is used',
  'POST /api/v1/auth/reset': ['person.password_reset', self],
  'POST /api/v1/auth/invitation': 'it only reads',
  'POST /api/v1/auth/accept': ['invitation.accepted', ({ made }) => made?.target_id ?? null],
  'POST /api/v1/auth/second-factor': ['person.signed_in', self],
  'POST /api/v1/auth/sign-out': ['person.signed_out', self],
  'POST /api/v1/auth/password': ['person.password_changed', self],
  'PATCH /api/v1/auth/profile': ['person.renamed', self],
  'PATCH /api/v1/me': ['person.renamed', self],
  'POST /api/v1/auth/confirm':
    'a password or code is checked; what it was needed for has a row, and a recovery code one of its own',
  'POST /api/v1/auth/factors': 'nothing is asked for yet: the confirmation has a row',
  'POST /api/v1/auth/factors/:id/confirm': ['person.factor_added', self],
  'DELETE /api/v1/auth/factors/:id': ['person.factor_removed', self],
  'POST /api/v1/auth/recovery-codes': ['person.recovery_codes_created', self],
  'DELETE /api/v1/auth/sessions': ['person.sessions_ended', self],
  'DELETE /api/v1/auth/sessions/:id': ['session.ended', inRequest],

  'PATCH /api/v1/organization': ['organization.renamed', organization],
  'DELETE /api/v1/members/:id/sessions': ['member.sessions_ended', inRequest],
  'POST /api/v1/members/:id/reset-link': ['member.reset_link_created', inRequest],
  'PATCH /api/v1/members/:id': ['member.role_changed', inRequest],
  'DELETE /api/v1/members/:id': ['member.removed', inRequest],
  'POST /api/v1/invitations': ['invitation.created', inAnswer],
  'DELETE /api/v1/invitations/:id': ['invitation.withdrawn', inRequest],

  'POST /api/v1/posts': ['post.scheduled', inAnswer],
  'PATCH /api/v1/posts/batch': ['post.archived', inRequest],
  'POST /api/v1/posts/import': ['post.imported', organization],
  'POST /api/v1/posts/bulk': ['post.scheduled', ({ ids }) => ids[0] ?? null],
  'PATCH /api/v1/posts/:id': ['post.scheduled', ({ ids }) => ids[0] ?? null],
  'DELETE /api/v1/posts/:id': ['post.deleted', inRequest],
  'POST /api/v1/posts/:id/duplicate': DRAFT,
  'GET /api/v1/posts/export': ['post.exported', organization],
  'GET /api/v1/dispatches/export': ['dispatch.exported', organization],
  'POST /api/v1/labels': ['label.created', inAnswer],
  'PATCH /api/v1/labels/:id': ['label.changed', inRequest],
  'DELETE /api/v1/labels/:id': ['label.deleted', inRequest],
  'POST /api/v1/snippets': CONTENT,
  'PATCH /api/v1/snippets/:id': CONTENT,
  'DELETE /api/v1/snippets/:id': CONTENT,
  'POST /api/v1/posts/:id/assets': DRAFT,
  'PATCH /api/v1/posts/:id/assets': ['post.edited', ({ ids }) => ids[0] ?? null],
  'DELETE /api/v1/posts/:id/assets': ['file.removed', ({ row }) => row.target_id],
  'POST /api/v1/posts/:id/assets/complete': DRAFT,
  'POST /api/v1/posts/:id/uploads/:upload_id/complete': DRAFT,
  'DELETE /api/v1/posts/:id/uploads/:upload_id': ['file.removed', ({ row }) => row.target_id],
  'POST /api/v1/posts/:id/assets/import': DRAFT,
  'POST /api/v1/posts/:id/publish': ['post.publish_started', ({ ids }) => ids[0] ?? null],
  'POST /api/v1/posts/:id/resolve': ['post.resolved', inRequest],

  'POST /api/v1/social-accounts/connect': 'it only asks for consent: the callback connects the account',
  'GET /oauth/callback': ['account.connected', ({ ids }) => ids[0] ?? null],
  'PATCH /api/v1/social-accounts/:id': ['account.defaults_changed', inRequest],
  'POST /api/v1/social-accounts/:id/unblock': ['account.unblocked', inRequest],
  'DELETE /api/v1/social-accounts/:id': ['account.disconnected', inRequest],

  'POST /api/v1/keys': ['key.created', inAnswer],
  'PATCH /api/v1/keys/:id': ['key.renamed', inRequest],
  'DELETE /api/v1/keys/:id': ['key.revoked', inRequest],

  'POST /api/v1/webhooks': ['webhook.created', inAnswer],
  'PATCH /api/v1/webhooks/:id': ['webhook.changed', inRequest],
  'DELETE /api/v1/webhooks/:id': ['webhook.deleted', inRequest],
  'POST /api/v1/webhooks/:id/rotate': ['webhook.secret_rotated', inRequest],
  'POST /api/v1/webhooks/:id/test': ['webhook.tested', inRequest],
  'POST /api/v1/webhooks/:id/recover': ['webhook.recovered', inRequest],
  'POST /api/v1/webhooks/:id/deliveries/:delivery_id/replay': [
    'webhook.replayed',
    ({ ids }) => ids[0] ?? null,
  ],

  'POST /api/admin/v1/organizations': ['organization.created', inAnswer],
  'PATCH /api/admin/v1/organizations/:id': ['organization.plan_changed', inRequest],
  'POST /api/admin/v1/organizations/:id/keys': ['key.created', inAnswer],
  'POST /api/admin/v1/release': ['installation.released', installation],

  'POST /mcp':
    'its tools call the use cases of these routes, which leave the rows; see flows/mcp-publish.test.ts',
  'PUT /storage/*': DRAFT,
  'OPTIONS /storage/*': 'it changes nothing',
  'POST /webhooks/social': 'it only makes a worker ask the platform earlier',
  'POST /sandbox/*': SANDBOX,
  'PUT /sandbox/*': SANDBOX,
};

/** Reads that are logged, too: one of them connects an account, the others take everything away in a file. */
const READS = ['GET /oauth/callback', 'GET /api/v1/posts/export', 'GET /api/v1/dispatches/export'];

/** Added to the examples of the document, which would change nothing that is logged. */
const BODIES: Record<string, object> = {
  'PATCH /api/v1/members/:id': { role: 'viewer' },
  'POST /api/v1/posts': {
    status: 'scheduled',
    scheduled_at: '2099-01-01T00:00:00Z',
    privacy_level: 'SELF_ONLY',
  },
};

const withFields = (body: unknown, more: object | undefined) =>
  more === undefined ? body : { ...(body as object), ...more };

onEngines('postgres', 'A route that changes something', (engine) => {
  const service = useService(engine, { env: { SIGNUP: 'open', TRUST_PROXY: 'loopback' } });
  /** As a proxy reports the client. */
  const FROM = { 'x-forwarded-for': '203.0.113.7' };

  const newest = () =>
    service.app.db.read.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst();
  async function rowsSince(made: AuditRow | undefined): Promise<AuditRow[]> {
    const rows = service.app.db.read.selectFrom('audit').selectAll().orderBy('id');
    return (made ? rows.where('id', '>', made.id) : rows).execute();
  }

  it('has a row in the table above', () => {
    const changing = Object.keys(ACCESS).filter((route) => !route.startsWith('GET '));
    assert.deepEqual(Object.keys(ROUTES).sort(), [...changing, ...READS].sort());
    for (const entry of Object.values(ROUTES))
      if (typeof entry === 'string') assert.ok(entry.length > 10, `"${entry}" is no reason`);
  });

  /** The request, and the newest row before it. */
  async function perform(route: string, operation: Operation | undefined, org: Organization) {
    if (route === 'GET /oauth/callback') {
      const made = await newest();
      const id = await org.connectAccount();
      return { made, ids: [id], answer: null, from: '127.0.0.1' };
    }
    assert.ok(operation, `${route} is not in the document`);
    const ids = new Map<Slot, string>();
    for (const slot of slotsOf(operation))
      ids.set(slot, await createOne(slot.kind, org, service, operation.operationId, ids));
    const { path, body } = fill(operation, ids, { nowMs: service.clock.now(), scopes: ['posts:read'] });
    const opened = await openedByBody(operation, withFields(body, BODIES[route]), org, service);
    if (route === 'POST /api/admin/v1/release') await declareRestored(service.app, null);
    const headers = { ...FROM, ...(await credentials(operation, org)) };
    const made = await newest();
    const answer = await service.request(operation.method, path, { body: opened, headers });
    assert.ok(answer.status < 300, `${answer.status}: ${answer.text}`);
    return { made, ids: [...ids.values()], answer, from: FROM['x-forwarded-for'] };
  }

  async function credentials({ opensWith }: Operation, org: Organization): Promise<Record<string, string>> {
    if (opensWith === 'nothing') return {};
    if (opensWith === 'session') return sessionHeaders(org, service);
    return { authorization: `Bearer ${opensWith === 'operator' ? ADMIN_TOKEN : org.key}` };
  }

  async function actorOf(operation: Operation | undefined, { org, row }: Done) {
    const { read } = service.app.db;
    switch (operation?.opensWith ?? 'key') {
      case 'operator':
        return { kind: 'operator', id: null, name: 'Operator' };
      case 'key': {
        const keys = read.selectFrom('api_keys').select(['id', 'name']).where('org_id', '=', org.id);
        const key = await keys.orderBy('id').executeTakeFirstOrThrow();
        return { kind: 'key', ...key };
      }
      default: {
        const people = read.selectFrom('people').select(['id', 'name', 'org_id', 'role']);
        const person = await people.where('id', '=', row.actor_id).executeTakeFirstOrThrow();
        assert.equal(person.org_id, row.org_id);
        return { kind: 'person', id: person.id, name: person.name };
      }
    }
  }

  for (const [route, entry] of Object.entries(ROUTES)) {
    if (typeof entry === 'string') continue;
    const [action, target] = entry;
    it(`leaves one row, ${action}: ${route}`, async () => {
      const org = await service.newOrganization();
      const operation = operationsOf(await readDocument(service)).find((one) => one.route === route);
      const { made, ids, answer, from } = await perform(route, operation, org);
      // The example books a slot, and changes the text as well.
      const isMeant = (row: AuditRow) => row.action === action || row.action !== 'post.edited';
      const rows = (await rowsSince(made)).filter(isMeant);
      assert.deepEqual(
        rows.map((row) => row.action),
        [action],
      );
      const [row] = rows as [AuditRow];
      const done: Done = { org, ids, answer: answer as Answer, made, row };
      const { kind, id, name } = await actorOf(operation, done);
      // A person who renames themselves acts under the old name.
      const names = action === 'person.renamed' ? [row.actor_name] : [name];
      assert.deepEqual([row.actor_kind, row.actor_id, row.actor_name], [kind, id, ...names]);
      assert.equal(row.address, from);
      assert.equal(row.target_kind, ACTIONS[action][0]);
      assert.equal(row.target_id, await target(done));
      if (row.target_kind !== 'installation') assert.ok(row.target_id);
      assert.equal(row.org_id === null, row.target_kind === 'installation');
    });
  }
});
