// Every role tries every action of the table of access, over HTTP.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ROLE_SCOPES, ROLES, type Role, type Scope } from '../../src/app/scopes.js';
import { ACCESS } from '../../src/request/access.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { addFactor, codeNow } from '../support/service/factors.js';
import { useService } from '../support/service/harness.js';
import { anotherSession, newPerson } from '../support/service/people.js';
import {
  createOne,
  fill,
  operationsOf,
  readDocument,
  type Slot,
  slotsOf,
} from '../support/service/routes.js';

onEngines('sqlite', 'every action', (engine) => {
  const service = useService(engine);

  for (const role of ROLES)
    it(`is open to the role ${role} exactly where the tables say so`, async () => {
      const org = await service.newOrganization();
      // So that the owner who is removed or demoted is not the last.
      await newPerson(service, org.id, 'owner');
      const operations = operationsOf(await readDocument(service));
      const tried: string[] = [];
      for (const operation of operations) {
        const access = ACCESS[operation.route];
        assert.ok(access, `${operation.route} has no row`);
        const may = mayDo(role, access, operation.route);
        if (access === 'public' || !everyday(isAtTheBorder(role, access, operation.route), true)) continue;
        const withPassword = operation.operationId === 'confirm';
        const person = await newPerson(service, org.id, role, { withPassword });
        const ids = new Map<Slot, string>();
        for (const slot of slotsOf(operation))
          ids.set(
            slot,
            slot.kind === 'sessions'
              ? (await anotherSession(service, person)).id
              : slot.kind === 'factors'
                ? await addFactor(service, person, { isConfirmed: operation.operationId === 'removeFactor' })
                : await createOne(slot.kind, org, service, operation.operationId, ids),
          );
        const { path, body } = fill(operation, ids, { nowMs: service.clock.now(), scopes: ['posts:read'] });
        if (operation.operationId === 'confirmFactor')
          Object.assign(body as object, { code: codeNow(service.app) });
        if (operation.operationId === 'createRecoveryCodes') await addFactor(service, person);
        const { status, json, text } = await person.browser.call(operation.method, path, body);
        const what = `${operation.route} answered ${status}: ${text}`;
        if (may) assert.ok(status < 300, what);
        else assert.ok(refusalsOf(access).includes(`${status} ${json.code}`), what);
        tried.push(operation.route);
      }
      assert.ok(tried.length >= everyday(5, 40), `only ${tried.length} actions`);
    });
});

/** What a session may do only for an owner. */
const OWNERS_ONLY = new Set(['DELETE /api/v1/members/:id/sessions']);
/** What needs a session because no key may do it, and a scope as well. */
const MANAGERS_ONLY = new Set(['POST /api/v1/members/:id/reset-link']);

function mayDo(role: Role, access: string, route: string): boolean {
  if (OWNERS_ONLY.has(route)) return role === 'owner';
  if (MANAGERS_ONLY.has(route)) return mayDo(role, 'org:manage', '');
  if (access === 'operator') return false;
  if (access === 'key' || access === 'session') return true;
  return (ROLE_SCOPES[role] as readonly Scope[]).includes(access as Scope);
}

/** Of the roles, from the most to the least powerful, the last that may do it, or the first that may not. */
function isAtTheBorder(role: Role, access: string, route: string): boolean {
  const allowed = ROLES.filter((each) => mayDo(each, access, route)).length;
  return [allowed - 1, allowed].includes(ROLES.indexOf(role));
}

const refusalsOf = (access: string): string[] =>
  access === 'operator' ? ['401 unauthorized'] : ['403 insufficient_scope', '403 forbidden'];
