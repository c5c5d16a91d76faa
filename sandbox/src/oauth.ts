// Authorization codes, access tokens and refresh tokens: issuing, exchanging, checking and revoking them.
//
// Errors are flat and come with HTTP 200, as on the platform. Refresh tokens rotate: each works once.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accountOf } from './accounts.js';
import { DAY_MS, type Platform } from './platform.js';
import { ApiError, formOf, OAuthError, sendJson } from './responses.js';
import type { AccountRow, CodeRow, TokenRow } from './store.js';

const CODE_MS = 5 * 60_000;
const REFRESH_MS = 365 * DAY_MS;
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Access to an account ended; `reason` is a number from the platform's list. */
export type OnRemoved = (username: string, reason: number) => void;

export function oauthRoutes(app: FastifyInstance, platform: Platform, onRemoved: OnRemoved): void {
  const { store } = platform;

  app.post('/v2/oauth/token/', { config: { faultTarget: 'token' } }, async (request, reply) => {
    const form = clientForm(platform, request);
    const grant = form.get('grant_type');
    if (grant === 'authorization_code') return sendJson(reply, exchange(platform, form));
    if (grant === 'refresh_token') return sendJson(reply, refresh(platform, form.get('refresh_token')));
    throw new OAuthError('unsupported_grant_type', 'The grant type is not supported.');
  });

  app.post('/v2/oauth/revoke/', async (request, reply) => {
    const token = clientForm(platform, request).get('token') ?? '';
    const row = store.get<TokenRow>('select * from tokens where access_token = ?', token);
    if (!row || row.expires_at <= platform.now())
      throw new OAuthError('invalid_grant', 'Access token is invalid or expired.');
    removeAuthorization(platform, row.username);
    onRemoved(row.username, 5);
    return sendJson(reply, {});
  });
}

/** The form of a token endpoint, with the client's credentials checked. */
function clientForm({ options }: Platform, request: FastifyRequest): URLSearchParams {
  const form = formOf(request);
  if (!form) throw new OAuthError('invalid_request', 'The request parameters are malformed.');
  if (form.get('client_key') !== options.clientKey || form.get('client_secret') !== options.clientSecret)
    throw new OAuthError('invalid_client', 'Client key or secret is incorrect.');
  return form;
}

/** What a person allowed on the consent page, as a code that the client can exchange once. */
export function issueCode(platform: Platform, grant: Omit<CodeRow, 'code' | 'expires_at'>): string {
  // The suffix is part of the code, and reveals clients that do not decode it.
  const code = `${randomBytes(32).toString('base64url')}*v!5236.s1`;
  platform.store.insert('codes', { code, ...grant, expires_at: platform.now() + CODE_MS });
  return code;
}

function exchange(platform: Platform, form: URLSearchParams) {
  const [code, redirectUri] = [form.get('code'), form.get('redirect_uri')];
  if (!code || !redirectUri) throw new OAuthError('invalid_request', 'The request parameters are malformed.');
  // Deleted on the first attempt, valid or not.
  const row = platform.store.get<CodeRow>('delete from codes where code = ? returning *', code);
  if (!row || row.expires_at <= platform.now())
    throw new OAuthError('invalid_grant', 'Authorization code is expired.');
  if (row.redirect_uri !== redirectUri)
    throw new OAuthError('invalid_request', 'Redirect_uri is not matched with the uri when requesting code.');
  if (row.code_challenge !== null && !answersChallenge(form.get('code_verifier'), row.code_challenge))
    throw new OAuthError('invalid_request', 'Code verifier or code challenge is invalid.');
  return issueTokens(platform, row.username, row.scopes);
}

/** In hexadecimal, unlike the PKCE standard. */
export const answersChallenge = (verifier: string | null, challenge: string): boolean =>
  verifier !== null &&
  VERIFIER.test(verifier) &&
  createHash('sha256').update(verifier).digest('hex') === challenge;

function refresh(platform: Platform, token: string | null) {
  const { store } = platform;
  return store.transact(() => {
    const row = store.get<TokenRow>(
      'update tokens set refresh_token = null where refresh_token = ? and refresh_expires_at > ? returning *',
      token ?? '',
      platform.now(),
    );
    if (!row) throw new OAuthError('invalid_grant', 'Refresh token is invalid or expired.');
    return issueTokens(platform, row.username, row.scopes);
  });
}

function issueTokens(platform: Platform, username: string, scopes: string) {
  const { store, settings } = platform;
  const account = accountOf(store, username);
  const access_token = `act.${randomBytes(36).toString('base64url')}`;
  const refresh_token = `rft.${randomUUID()}${randomBytes(24).toString('base64url')}`;
  const seconds = settings.access_token_seconds;
  store.insert('tokens', {
    access_token,
    refresh_token,
    username,
    scopes,
    expires_at: platform.now() + seconds * 1000,
    refresh_expires_at: platform.now() + REFRESH_MS,
  });
  return {
    access_token,
    expires_in: seconds,
    open_id: account.open_id,
    refresh_expires_in: REFRESH_MS / 1000,
    refresh_token,
    scope: scopes,
    token_type: 'Bearer',
  };
}

export function removeAuthorization({ store }: Platform, username: string): void {
  store.run('delete from codes where username = ?', username);
  store.run('delete from tokens where username = ?', username);
}

export interface Caller {
  account: AccountRow;
  accessToken: string;
  scopes: string[];
}

/** The caller, if its token is valid and has one of these scopes. */
export function callerOf(platform: Platform, request: FastifyRequest, ...oneOf: string[]): Caller {
  const [, accessToken = ''] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const row = platform.store.get<TokenRow>('select * from tokens where access_token = ?', accessToken);
  if (!row || row.expires_at <= platform.now()) throw new ApiError('access_token_invalid');
  const scopes = row.scopes.split(',');
  if (!oneOf.some((scope) => scopes.includes(scope))) throw new ApiError('scope_not_authorized');
  return { account: accountOf(platform.store, row.username), accessToken, scopes };
}
