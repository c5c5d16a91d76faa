import type { App } from '../app/app.js';
import { byCaller } from '../audit/record.js';
import { callerOf, callerWithAddressOf, findVisitor } from '../request/caller.js';
import { idempotent, idempotentPerCaller } from '../request/idempotency.js';
import { PageParameters, pageOf } from '../request/pagination.js';
import { DEFAULT_PLATFORM } from '../request/platforms.js';
import {
  dataEnvelope,
  NoContent,
  responses,
  responsesToBody,
  responsesToNoBody,
  WithId,
} from '../request/schema.js';
import type { Server } from '../request/server.js';
import {
  getAccount,
  getCreatorOptions,
  listAccounts,
  requireKnownAccount,
  updateAccount,
} from './accounts.js';
import { callbackPage, dashboardPath } from './callback-page.js';
import { beginConnect, CALLBACK_PATH, finishConnect } from './connect.js';
import { disconnectAccount, revokeNow } from './revocation.js';
import { ConnectAccount, ConsentRef, CreatorOptionsRef, SocialAccountRef, UpdateAccount } from './schema.js';

const tags = ['Accounts'];

export function accountRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/social-accounts',
    {
      schema: {
        operationId: 'listSocialAccounts',
        tags,
        summary: 'List connected accounts',
        description:
          'Includes accounts that must be connected again: their `status` says so, and their posts wait. Those of a blocked account (`blocked_until`) wait too.',
        querystring: PageParameters,
        response: responses({ 200: pageOf(SocialAccountRef) }),
      },
    },
    (request) => listAccounts(app, callerOf(request), request.query),
  );

  server.post(
    '/api/v1/social-accounts/connect',
    {
      schema: {
        operationId: 'connectSocialAccount',
        tags,
        summary: 'Get the consent URL for connecting an account',
        description:
          'The owner of the account opens the URL in a browser and chooses what to allow. The URL names your organization, and the account if you name one to reconnect. The last page shows the result for that organization and account, or leads back to the dashboard if the connection was started there. Reconnecting the same account on the platform keeps its id. If the quota of accounts is used up, the last page says so; reconnecting an existing account is always possible.',
        body: ConnectAccount,
        response: responsesToBody({ 200: dataEnvelope(ConsentRef) }, 'safe_mode'),
      },
    },
    (request, reply) =>
      idempotentPerCaller(app, request, reply, async (tx) => {
        app.safety.assertNormalMode();
        const caller = callerWithAddressOf(request);
        const sessionId = caller.via === 'session' ? caller.sessionId : null;
        const { social_account_id: id, platform: wanted } = request.body ?? {};
        const account = id === undefined ? null : await requireKnownAccount(tx, caller.orgId, id);
        const platform = account?.platform ?? wanted ?? DEFAULT_PLATFORM;
        const consent = await beginConnect(app, tx, byCaller(caller), { platform, sessionId, account });
        const authorize_url = app.connector(platform).authorizeUrl(consent);
        return { status: 200, body: { data: { authorize_url } } };
      }),
  );

  // No HEAD route: it would use up the state.
  server.get(CALLBACK_PATH, { schema: { hide: true }, exposeHeadRoute: false }, async (request, reply) => {
    // Other parameters of the platform are ignored, and so are repeated ones.
    const query = request.query as Record<string, unknown>;
    const textOf = (name: string) => (typeof query[name] === 'string' ? query[name] : undefined);
    const callback = { state: textOf('state'), code: textOf('code'), error: textOf('error') };
    // Before the state is used up: the same URL works after the release.
    app.safety.assertNormalMode();
    const visitor = await findVisitor(app, request);
    const back = await finishConnect(app, callback, visitor, request.ip);
    if (back.fromDashboard) return reply.redirect(app.urls.publicUrl + dashboardPath(back), 303);
    const { status, headers, text } = callbackPage(back);
    return reply.code(status).headers(headers).send(text);
  });

  server.get(
    '/api/v1/social-accounts/:id',
    {
      schema: {
        operationId: 'getSocialAccount',
        tags,
        summary: 'Get a connected account',
        description:
          'Returns the account as in the list, without querying the platform. A disconnected account gets 404.',
        params: WithId,
        response: responses({ 200: dataEnvelope(SocialAccountRef) }, 'not_found'),
      },
    },
    async (request) => ({ data: await getAccount(app, callerOf(request), request.params.id) }),
  );

  server.get(
    '/api/v1/social-accounts/:id/creator-info',
    {
      schema: {
        operationId: 'getCreatorOptions',
        tags,
        summary: "Get the account's current posting options from the platform",
        description:
          'Queries the platform each time: which privacy levels the creator may choose, which interactions are disabled, and how long a video may be.',
        params: WithId,
        response: responses(
          { 200: dataEnvelope(CreatorOptionsRef) },
          'not_found',
          'reconnect_required',
          'platform_refused',
          'platform_failed',
          'platform_unavailable',
          'account_blocked',
          'platform_timeout',
          'safe_mode',
        ),
      },
    },
    async (request) => ({ data: await getCreatorOptions(app, callerOf(request), request.params.id) }),
  );

  server.patch(
    '/api/v1/social-accounts/:id',
    {
      schema: {
        operationId: 'updateSocialAccount',
        tags,
        summary: 'Set what the dashboard fills in for an account',
        description:
          'The dashboard fills in the mode and the hashtags when a member publishes to the account; the member can change them. They have no effect on requests to the API. Privacy level and toggles have no default: a person chooses them for each post. Null clears a field.',
        params: WithId,
        body: UpdateAccount,
        response: responsesToBody({ 200: dataEnvelope(SocialAccountRef) }, 'not_found'),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => ({
        status: 200,
        body: {
          data: await updateAccount(app, tx, callerWithAddressOf(request), request.params.id, request.body),
        },
      })),
  );

  server.delete(
    '/api/v1/social-accounts/:id',
    {
      schema: {
        operationId: 'disconnectSocialAccount',
        tags,
        summary: 'Disconnect an account and revoke access on the platform',
        description:
          'The account disappears from the list immediately. Airdate revokes the access on the platform as soon as open attempts have ended and the platform responds.',
        params: WithId,
        response: responsesToNoBody({ 204: NoContent }, 'not_found', 'safe_mode'),
      },
    },
    async (request, reply) => {
      app.safety.assertNormalMode();
      const { id } = request.params;
      const account = await app.db.transact((tx) =>
        disconnectAccount(app, tx, callerWithAddressOf(request), id),
      );
      await revokeNow(app, account);
      return reply.code(204).send();
    },
  );
}
