import type { App } from '../../app/app.js';
import { NoContent, responsesToBody } from '../../request/schema.js';
import type { Server } from '../../request/server.js';
import { forgotPassword, limitForgotten } from './forgot.js';
import { resetPassword } from './reset.js';
import { Forgot, Forgotten, ResetPassword } from './schema.js';
import { limitSignInAttempts, sameOriginHook } from './start-session.js';

const tags = ['People'];

/** For people who cannot sign in because they forgot their password. */
export function recoveryRoutes(server: Server, app: App): void {
  const onRequest = sameOriginHook(app);

  server.post(
    '/api/v1/auth/forgot',
    {
      onRequest,
      schema: {
        operationId: 'forgotPassword',
        tags,
        summary: 'Ask for a link to set a new password',
        description:
          'If the address is the verified one of a member and the installation sends mail, a link is mailed to it, which works once, within 30 minutes. The response is the same for every address. Limited to 3 requests an hour for an address and 20 from a network.',
        security: [],
        body: Forgot,
        response: responsesToBody({ 202: Forgotten }),
      },
    },
    async (request, reply) => {
      await limitForgotten(request, request.body);
      forgotPassword(app, request.body);
      return reply.code(202).send({ data: { accepted: true } });
    },
  );

  server.post(
    '/api/v1/auth/reset',
    {
      onRequest,
      schema: {
        operationId: 'resetPassword',
        tags,
        summary: 'Set a new password with the token of a link',
        description:
          'Ends all sessions of the person and their other links, and signs no one in: sign in with the new password, and with the second factor if you have one. Keys keep working.',
        security: [],
        body: ResetPassword,
        response: responsesToBody({ 204: NoContent }, 'gone'),
      },
    },
    async (request, reply) => {
      await limitSignInAttempts(request);
      await resetPassword(app, request.body, request);
      return reply.code(204).send();
    },
  );
}
