import type { App } from '../../app/app.js';
import { callerOf, callerWithAddressOf, personOf } from '../../request/caller.js';
import { idempotent, idempotentPerCaller } from '../../request/idempotency.js';
import { pageOf } from '../../request/pagination.js';
import {
  dataEnvelope,
  NoContent,
  responses,
  responsesToBody,
  responsesToNoBody,
  WithId,
} from '../../request/schema.js';
import type { Server } from '../../request/server.js';
import { limitSignInAttempts, replyWithSession, sameOriginHook } from '../auth/start-session.js';
import { MeRef } from '../organizations/schema.js';
import {
  acceptInvitation,
  createInvitation,
  getInvitation,
  listInvitations,
  readInvitation,
  withdrawInvitation,
} from './invitations.js';
import { getMember } from './member-details.js';
import { endMemberSessions, listMembers, removeMember, updateMember } from './members.js';
import { createMemberResetLink } from './reset-links.js';
import {
  AcceptInvitation,
  CreateInvitation,
  InvitationPreviewRef,
  InvitationRef,
  MemberDetailsRef,
  MemberRef,
  NewInvitationRef,
  ReadInvitation,
  ResetLinkRef,
  UpdateMember,
} from './schema.js';

const tags = ['Members'];

export function memberRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/members',
    {
      schema: {
        operationId: 'listMembers',
        tags,
        summary: 'List the members of the organization',
        description: 'With roles. One page has all members.',
        response: responses({ 200: pageOf(MemberRef) }),
      },
    },
    (request) => listMembers(app, callerOf(request)),
  );

  server.get(
    '/api/v1/members/:id',
    {
      schema: {
        operationId: 'getMember',
        tags,
        summary: 'Get a member, and what ends when they are removed',
        description:
          'The member, as in the list, with their sessions, keys and open invitations, and the webhooks that were created with their keys.',
        params: WithId,
        response: responses({ 200: dataEnvelope(MemberDetailsRef) }, 'not_found'),
      },
    },
    async (request) => ({ data: await getMember(app, callerOf(request), request.params.id) }),
  );

  server.patch(
    '/api/v1/members/:id',
    {
      schema: {
        operationId: 'updateMember',
        tags,
        summary: "Change a member's role",
        description:
          'Only an owner can make a member an owner, or change the role of an owner. The last owner cannot be demoted. Keys that the member created never exceed the new role.',
        params: WithId,
        body: UpdateMember,
        response: responsesToBody({ 200: dataEnvelope(MemberRef) }, 'not_found', 'last_owner'),
      },
    },
    async (request, reply) => {
      const answer = await idempotent(app, request, reply, async (tx) => ({
        status: 200,
        body: {
          data: await updateMember(app, tx, callerWithAddressOf(request), request.params.id, request.body),
        },
      }));
      app.sessionCache.clear();
      app.keyCache.clear();
      return answer;
    },
  );

  server.delete(
    '/api/v1/members/:id',
    {
      schema: {
        operationId: 'removeMember',
        tags,
        summary: 'Remove a member; their sessions end and their keys stop working',
        description:
          'Programs that must keep running need a key from another member first; `created_by` shows who created a key. Webhooks that were created with their keys are disabled; those that they created in the dashboard stay.',
        params: WithId,
        response: responsesToNoBody({ 204: NoContent }, 'not_found', 'last_owner'),
      },
    },
    async (request, reply) => {
      await app.db.transact((tx) => removeMember(app, tx, callerWithAddressOf(request), request.params.id));
      app.sessionCache.clear();
      app.keyCache.clear();
      return reply.code(204).send();
    },
  );

  server.delete(
    '/api/v1/members/:id/sessions',
    {
      schema: {
        operationId: 'endMemberSessions',
        tags,
        summary: 'Sign a member out everywhere',
        description:
          'For signed-in owners. All sessions of the member end immediately; their keys keep working.',
        params: WithId,
        response: responsesToNoBody({ 204: NoContent }, 'not_found'),
      },
    },
    async (request, reply) => {
      await app.db.transact((tx) => endMemberSessions(app, tx, personOf(request), request.params.id));
      app.sessionCache.clear();
      return reply.code(204).send();
    },
  );

  server.post(
    '/api/v1/members/:id/reset-link',
    {
      schema: {
        operationId: 'createMemberResetLink',
        tags,
        summary: 'Create a link with which a member sets a new password',
        description:
          'For signed-in admins and owners; only an owner can create one for an owner. The link works once, within 24 hours, and only as long as its maker could still create it. It ends the earlier ones that you created for the member, and does not skip their second factor.',
        params: WithId,
        response: responsesToNoBody({ 200: dataEnvelope(ResetLinkRef) }, 'not_found'),
      },
    },
    (request, reply) =>
      idempotentPerCaller(app, request, reply, async (tx) => ({
        status: 200,
        body: { data: await createMemberResetLink(app, tx, personOf(request), request.params.id) },
      })),
  );
}

export function invitationRoutes(server: Server, app: App): void {
  const onRequest = sameOriginHook(app);

  server.get(
    '/api/v1/invitations',
    {
      schema: {
        operationId: 'listInvitations',
        tags,
        summary: 'List open invitations',
        description:
          'Lists invitations that were neither accepted nor withdrawn and have not expired, newest first, all on one page. The links themselves are not shown again.',
        response: responses({ 200: pageOf(InvitationRef) }),
      },
    },
    (request) => listInvitations(app, callerOf(request)),
  );

  server.post(
    '/api/v1/invitations',
    {
      schema: {
        operationId: 'createInvitation',
        tags,
        summary: 'Create an invitation; its link is shown only once and works once, within seven days',
        description:
          'An API key can invite an owner only while the organization has none. An invitation that was created with a key ends with that key.',
        body: CreateInvitation,
        response: responsesToBody({ 201: dataEnvelope(NewInvitationRef) }, 'quota_exceeded'),
      },
    },
    (request, reply) =>
      idempotentPerCaller(app, request, reply, async (tx) => {
        const invitation = await createInvitation(app, tx, callerWithAddressOf(request), request.body);
        const location = `/api/v1/invitations/${invitation.id}`;
        return { status: 201, location, body: { data: invitation } };
      }),
  );

  server.get(
    '/api/v1/invitations/:id',
    {
      schema: {
        operationId: 'getInvitation',
        tags,
        summary: 'Get an open invitation, without its link',
        description:
          'The invitation, as in the list. One that was accepted or withdrawn, or has expired, is not found.',
        params: WithId,
        response: responses({ 200: dataEnvelope(InvitationRef) }, 'not_found'),
      },
    },
    async (request) => ({ data: await getInvitation(app, callerOf(request), request.params.id) }),
  );

  server.delete(
    '/api/v1/invitations/:id',
    {
      schema: {
        operationId: 'withdrawInvitation',
        tags,
        summary: 'Withdraw an invitation',
        description: 'Its link stops working immediately.',
        params: WithId,
        response: responsesToNoBody({ 204: NoContent }, 'not_found'),
      },
    },
    async (request, reply) => {
      await app.db.transact((tx) =>
        withdrawInvitation(app, tx, callerWithAddressOf(request), request.params.id),
      );
      return reply.code(204).send();
    },
  );

  server.post(
    '/api/v1/auth/invitation',
    {
      onRequest,
      schema: {
        operationId: 'readInvitation',
        tags,
        summary: 'Look up an invitation by the token of its link',
        description: 'Shows the organization and the role that the link offers. The invitation stays open.',
        security: [],
        body: ReadInvitation,
        response: responsesToBody({ 200: dataEnvelope(InvitationPreviewRef) }, 'not_found'),
      },
    },
    async (request) => {
      await limitSignInAttempts(request);
      return { data: await readInvitation(app, request.body.token) };
    },
  );

  server.post(
    '/api/v1/auth/accept',
    {
      onRequest,
      schema: {
        operationId: 'acceptInvitation',
        tags,
        summary: 'Accept an invitation: become a member and sign in',
        description: 'Creates the person, uses up the invitation and sets a session cookie.',
        security: [],
        body: AcceptInvitation,
        response: responsesToBody({ 201: dataEnvelope(MeRef) }, 'not_found', 'email_taken', 'quota_exceeded'),
      },
    },
    replyWithSession(app, 201, acceptInvitation),
  );
}
