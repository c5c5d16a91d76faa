import type { App } from '../../../app/app.js';
import { personOf } from '../../../request/caller.js';
import {
  dataEnvelope,
  NoContent,
  responses,
  responsesToBody,
  responsesToNoBody,
  WithId,
} from '../../../request/schema.js';
import type { Server } from '../../../request/server.js';
import { MeRef } from '../../organizations/schema.js';
import { replyWithSession, sameOriginHook } from '../start-session.js';
import {
  confirmFactor,
  createFactor,
  createRecoveryCodes,
  getFactor,
  listFactors,
  removeFactor,
} from './factors.js';
import {
  ConfirmFactor,
  CreateFactor,
  FactorPage,
  FactorRef,
  NewFactorRef,
  RecoveryCodesRef,
  SecondFactor,
} from './schema.js';
import { holderOf, signInWithCode } from './tickets.js';

const tags = ['People'];

/** Authenticator apps and recovery codes. */
export function factorRoutes(server: Server, app: App): void {
  server.post(
    '/api/v1/auth/second-factor',
    {
      onRequest: sameOriginHook(app),
      schema: {
        operationId: 'signInWithCode',
        tags,
        summary: 'Finish signing in with a code of your authenticator app, or a recovery code',
        description:
          'For people whose sign-in answered 202. Each code works once. A ticket ends after five minutes, after five wrong codes, and when the password changes (410). After ten wrong codes within an hour, codes from networks where you never signed in get 429; recovery codes are counted apart.',
        security: [],
        body: SecondFactor,
        response: responsesToBody({ 200: dataEnvelope(MeRef) }, 'gone'),
      },
    },
    replyWithSession(app, 200, signInWithCode, async ({ ticket }) => (await holderOf(app, ticket))?.id),
  );

  server.get(
    '/api/v1/auth/factors',
    {
      schema: {
        operationId: 'listFactors',
        tags,
        summary: 'List your authenticator apps, and how many recovery codes you have left',
        description: 'An app whose first code was not confirmed is not listed, and not asked for.',
        response: responses({ 200: FactorPage }),
      },
    },
    (request) => listFactors(app, personOf(request)),
  );

  server.post(
    '/api/v1/auth/factors',
    {
      schema: {
        operationId: 'createFactor',
        tags,
        summary: 'Begin to add an authenticator app',
        description:
          'Shows the secret once. Sign-in asks for codes only after the first one was confirmed (`POST /api/v1/auth/factors/:id/confirm`). Beginning again takes back what was not confirmed.',
        body: CreateFactor,
        response: responsesToBody({ 201: dataEnvelope(NewFactorRef) }, 'limit_reached'),
      },
    },
    async (request, reply) => {
      const caller = personOf(request);
      const data = await app.db.transact((tx) => createFactor(app, tx, caller, request.body));
      return reply.code(201).header('location', `/api/v1/auth/factors/${data.id}`).send({ data });
    },
  );

  server.get(
    '/api/v1/auth/factors/:id',
    {
      schema: {
        operationId: 'getFactor',
        tags,
        summary: 'Get one of your authenticator apps',
        description: 'Also one whose first code is not confirmed yet.',
        params: WithId,
        response: responses({ 200: dataEnvelope(FactorRef) }, 'not_found'),
      },
    },
    async (request) => ({ data: await getFactor(app, personOf(request), request.params.id) }),
  );

  server.post(
    '/api/v1/auth/factors/:id/confirm',
    {
      schema: {
        operationId: 'confirmFactor',
        tags,
        summary: 'Confirm an authenticator app with its first code',
        description:
          'From now on sign-in asks for a code. With your first app, ten recovery codes are shown, once: keep them where the phone is not.',
        params: WithId,
        body: ConfirmFactor,
        response: responsesToBody({ 200: dataEnvelope(RecoveryCodesRef) }, 'not_found'),
      },
    },
    async (request) => {
      const caller = personOf(request);
      const { id } = request.params;
      const data = await app.db.transact((tx) => confirmFactor(app, tx, caller, id, request.body));
      app.sessionCache.clear();
      return { data };
    },
  );

  server.delete(
    '/api/v1/auth/factors/:id',
    {
      schema: {
        operationId: 'removeFactor',
        tags,
        summary: 'Remove one of your authenticator apps; all your other sessions end',
        description: 'With the last one, your recovery codes end too, and sign-in asks for no code any more.',
        params: WithId,
        response: responsesToNoBody({ 204: NoContent }, 'not_found'),
      },
    },
    async (request, reply) => {
      const caller = personOf(request);
      await app.db.transact((tx) => removeFactor(app, tx, caller, request.params.id));
      app.sessionCache.clear();
      return reply.code(204).send();
    },
  );

  server.post(
    '/api/v1/auth/recovery-codes',
    {
      schema: {
        operationId: 'createRecoveryCodes',
        tags,
        summary: 'Replace your recovery codes by ten new ones',
        description: 'The earlier ones stop working.',
        response: responsesToNoBody({ 200: dataEnvelope(RecoveryCodesRef) }, 'no_second_factor'),
      },
    },
    async (request) => {
      const caller = personOf(request);
      return { data: await app.db.transact((tx) => createRecoveryCodes(app, tx, caller)) };
    },
  );
}
