import type { App } from '../../app/app.js';
import { notFound } from '../../core/problems.js';
import { findVisitor, personOf } from '../../request/caller.js';
import { clearCookie, setCookie } from '../../request/cookie.js';
import { deprecated } from '../../request/deprecation.js';
import { idempotentPerCaller } from '../../request/idempotency.js';
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
import { whoAmI } from '../organizations/organizations.js';
import { MeRef } from '../organizations/schema.js';
import { confirmPerson } from './confirm.js';
import { signInWithLink } from './entry-links.js';
import { SignInTicketRef } from './factors/schema.js';
import {
  AuthStateRef,
  ChangePassword,
  Confirm,
  Enter,
  SessionRef,
  SignIn,
  SignUp,
  UpdateProfile,
} from './schema.js';
import { ABSOLUTE_MS, endOtherSessions, endSession, listSessions } from './sessions.js';
import { changePassword, signIn, updateProfile } from './sign-in.js';
import { signUp, signUpState } from './sign-up.js';
import { limitSignInAttempts, replyWithSession, sameOriginHook } from './start-session.js';

const tags = ['People'];

/** Signing in and up. */
export function entranceRoutes(server: Server, app: App): void {
  const onRequest = sameOriginHook(app);

  server.get(
    '/api/v1/auth',
    {
      schema: {
        operationId: 'getAuthState',
        tags,
        summary: 'Check whether the visitor is signed in, and whether sign-up is open',
        description: 'For the sign-in page; needs neither a key nor a session.',
        security: [],
        response: responses({ 200: dataEnvelope(AuthStateRef) }),
      },
    },
    async (request) => ({
      data: {
        signed_in: (await findVisitor(app, request)) !== null,
        sign_up: await signUpState(app, app.db.read),
        mail: app.mail !== null,
      },
    }),
  );

  server.post(
    '/api/v1/auth/sign-up',
    {
      onRequest,
      schema: {
        operationId: 'signUp',
        tags,
        summary: 'Sign up: create an organization in its trial and become its owner',
        description: 'Open to the first person. Others can sign up only if the operator allows it.',
        security: [],
        body: SignUp,
        response: responsesToBody({ 201: dataEnvelope(MeRef) }, 'email_taken'),
      },
    },
    replyWithSession(app, 201, signUp),
  );

  server.post(
    '/api/v1/auth/sign-in',
    {
      onRequest,
      schema: {
        operationId: 'signIn',
        tags,
        summary: 'Sign in with email and password; sets a session cookie',
        description:
          'Failed attempts are limited by address and by email. Programs use an API key instead. Who has a second factor gets 202 with a ticket and no cookie; `POST /api/v1/auth/second-factor` exchanges it.',
        security: [],
        body: SignIn,
        response: responsesToBody({ 200: dataEnvelope(MeRef), 202: dataEnvelope(SignInTicketRef) }),
      },
    },
    replyWithSession(app, 200, signIn, ({ email }) => email),
  );

  server.post(
    '/api/v1/auth/enter',
    {
      onRequest,
      schema: {
        operationId: 'enter',
        tags,
        summary: 'Sign in with a one-time link',
        description:
          'The service prints the link when it creates the demo organization. It works once, within 24 hours. Who has a second factor gets 202 with a ticket, as after a password.',
        security: [],
        body: Enter,
        response: responsesToBody({ 200: dataEnvelope(MeRef), 202: dataEnvelope(SignInTicketRef) }, 'gone'),
      },
    },
    replyWithSession(app, 200, signInWithLink),
  );
}

/** What signed-in people do about their own account. */
export function personRoutes(server: Server, app: App): void {
  server.post(
    '/api/v1/auth/sign-out',
    {
      schema: {
        operationId: 'signOut',
        tags,
        summary: 'End the current session',
        description: 'Deletes the session cookie. Other sessions of the same person stay signed in.',
        response: responsesToNoBody({ 204: NoContent }),
      },
    },
    async (request, reply) => {
      const caller = personOf(request);
      await endSession(app, caller, caller.sessionId, 'signed out');
      return reply.code(204).header('set-cookie', clearCookie(app.config)).send();
    },
  );

  server.post(
    '/api/v1/auth/password',
    {
      schema: {
        operationId: 'changePassword',
        tags,
        summary: 'Set or change your password; all your other sessions end',
        description: '`current_password` is required if you already have a password.',
        body: ChangePassword,
        response: responsesToBody({ 204: NoContent }),
      },
    },
    async (request, reply) => {
      const caller = personOf(request);
      await limitSignInAttempts(request, caller.personId);
      const token = await changePassword(app, caller, request.body);
      return reply
        .code(204)
        .header('set-cookie', setCookie(app.config, token, ABSOLUTE_MS))
        .send();
    },
  );

  server.post(
    '/api/v1/auth/confirm',
    {
      schema: {
        operationId: 'confirm',
        tags,
        summary: 'Confirm that it is you, before an act that would outlive a stolen session',
        description:
          'Such acts answer 403 `reauthentication_required` unless you signed in with your password, or confirmed it, within the last 15 minutes. Who has a second factor sends a `code` instead of the password: of the authenticator app, or a recovery code.',
        body: Confirm,
        response: responsesToBody({ 204: NoContent }),
      },
    },
    async (request, reply) => {
      const caller = personOf(request);
      await limitSignInAttempts(request, caller.personId);
      await confirmPerson(app, caller, request.body);
      return reply.code(204).send();
    },
  );

  server.patch(
    '/api/v1/me',
    {
      schema: {
        operationId: 'updateMe',
        tags,
        summary: 'Change your own name, or how the dashboard shows you times',
        description: 'For signed-in people only. Fields that are absent stay as they are.',
        body: UpdateProfile,
        response: responsesToBody({ 200: dataEnvelope(MeRef) }),
      },
    },
    async (request, reply) => {
      const caller = personOf(request);
      const answer = await idempotentPerCaller(app, request, reply, async (tx) => {
        await updateProfile(app, tx, caller, request.body);
        return { status: 200, body: { data: await whoAmI(app, tx, caller) } };
      });
      app.sessionCache.clear();
      return answer;
    },
  );

  server.patch(
    '/api/v1/auth/profile',
    {
      schema: {
        operationId: 'updateProfile',
        tags,
        summary: 'The same as PATCH /api/v1/me, for older clients',
        description: 'Use `PATCH /api/v1/me`, which also supports `Idempotency-Key`.',
        ...deprecated('2026-11-18'),
        body: UpdateProfile,
        response: responsesToBody({ 200: dataEnvelope(MeRef) }),
      },
    },
    async (request) => {
      const caller = personOf(request);
      await app.db.transact((tx) => updateProfile(app, tx, caller, request.body));
      app.sessionCache.clear();
      return { data: await whoAmI(app, app.db.read, caller) };
    },
  );

  server.get(
    '/api/v1/auth/sessions',
    {
      schema: {
        operationId: 'listSessions',
        tags,
        summary: 'List your own sessions, most recently used first',
        description:
          'Lists each session with its browser, all on one page; `current` marks the session of this request.',
        response: responses({ 200: pageOf(SessionRef) }),
      },
    },
    (request) => listSessions(app, personOf(request)),
  );

  server.delete(
    '/api/v1/auth/sessions',
    {
      schema: {
        operationId: 'endOtherSessions',
        tags,
        summary: 'End all of your sessions but this one',
        description: 'Every other browser is signed out immediately, and its event streams end.',
        response: responsesToNoBody({ 204: NoContent }),
      },
    },
    async (request, reply) => {
      await endOtherSessions(app, personOf(request));
      return reply.code(204).send();
    },
  );

  server.delete(
    '/api/v1/auth/sessions/:id',
    {
      schema: {
        operationId: 'endSession',
        tags,
        summary: 'End one of your own sessions',
        description: 'That browser is signed out immediately, and its event streams end.',
        params: WithId,
        response: responsesToNoBody({ 204: NoContent }, 'not_found'),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      if (!(await endSession(app, personOf(request), id, 'ended'))) throw notFound('session');
      return reply.code(204).send();
    },
  );
}
