// The page on which a person chooses an account and allows or denies a client. Its form posts back to the same URL.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ensureAccount, USERNAME } from './accounts.js';
import { issueCode } from './oauth.js';
import { type Html, html, sendPage } from './page.js';
import type { Platform } from './platform.js';
import { formOf, queryOf } from './responses.js';

/** The scopes as the page explains them. */
const SCOPES: Record<string, string> = {
  'user.info.basic': 'See your profile picture and name',
  'user.info.profile': 'See your username and profile',
  'user.info.stats': 'See how many followers and posts you have',
  'video.publish': 'Publish posts for you',
  'video.upload': 'Send drafts to your inbox',
  'video.list': 'See your public posts',
};

const MAX_NAME = 200;

/** The platform documents the first. Popular libraries ship the second, and it works there too. */
const PATHS = ['/v2/auth/authorize/', '/v2/auth/authorize'];

/** What a client requests with the URL it sends people to. */
interface Ask {
  redirectUri: string;
  scopes: string[];
  state: string | null;
  challenge: string | null;
  /** For whom the client says that it asks, and which account it means. */
  organization: string | null;
  hint: string | null;
}

export function consentRoutes(app: FastifyInstance, platform: Platform): void {
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const ask = readAsk(platform, queryOf(request));
    if (typeof ask === 'string') return sendMistake(platform, reply, ask);
    return sendConsent(platform, request, reply, ask);
  };

  const decide = async (request: FastifyRequest, reply: FastifyReply) => {
    const ask = readAsk(platform, queryOf(request));
    if (typeof ask === 'string') return sendMistake(platform, reply, ask);
    const form = formOf(request) ?? new URLSearchParams();
    const decision = form.get('decision');
    if (decision === 'deny')
      return redirect(reply, ask, {
        error: 'access_denied',
        error_description: 'The user denied the request.',
      });
    const username = (form.get('username') ?? '').trim().replace(/^@/, '').toLowerCase();
    if (decision !== 'allow' || !USERNAME.test(username))
      return sendConsent(platform, request, reply.code(400), ask, 'Choose a username.');
    // A form without checkboxes, as scripts post it, allows everything that was requested.
    const ticked = form.getAll('scope');
    const scopes = form.has('with_scopes')
      ? ask.scopes.filter((scope) => ticked.includes(scope))
      : ask.scopes;
    ensureAccount(platform.store, username);
    const code = issueCode(platform, {
      username,
      scopes: scopes.join(','),
      redirect_uri: ask.redirectUri,
      code_challenge: ask.challenge,
    });
    return redirect(reply, ask, { code, scopes: scopes.join(',') });
  };

  for (const path of PATHS) {
    app.get(path, show);
    app.post(path, decide);
  }
}

/** Or the name of the wrong parameter: then there is no redirect, as on the platform. */
function readAsk({ options }: Platform, query: ReturnType<typeof queryOf>): Ask | string {
  const scopes = (query.scope ?? '').split(',').filter((scope) => scope !== '');
  const redirectUri = query.redirect_uri ?? '';
  if (query.client_key !== options.clientKey) return 'client_key';
  if (query.response_type !== 'code') return 'response_type';
  if (!isRedirectAllowed(redirectUri, options.strict)) return 'redirect_uri';
  if (options.mounted && redirectUri !== options.mounted.callbackUrl()) return 'redirect_uri';
  if (scopes.length === 0 || !scopes.every((scope) => Object.hasOwn(SCOPES, scope))) return 'scope';
  const challenge = query.code_challenge ?? null;
  if (challenge !== null && query.code_challenge_method !== 'S256') return 'code_challenge_method';
  // Local redirect URLs belong to desktop clients, which must use PKCE.
  if (options.strict && challenge === null && isLocal(new URL(redirectUri))) return 'code_challenge';
  const organization = query.organization?.slice(0, MAX_NAME) || null;
  const hint = query.login_hint ?? '';
  return {
    redirectUri,
    scopes,
    state: query.state ?? null,
    challenge,
    organization,
    hint: USERNAME.test(hint) ? hint : null,
  };
}

const isLocal = ({ hostname }: URL) => hostname === 'localhost' || hostname === '127.0.0.1';

/** In strict mode by the rules for registered URLs: https, or local with a port; no query and no fragment. */
export function isRedirectAllowed(text: string, strict: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return false;
  if (!strict) return true;
  if (text.length >= 512 || /[?#]/.test(text)) return false;
  return isLocal(url) ? url.port !== '' : url.protocol === 'https:';
}

function redirect(reply: FastifyReply, ask: Ask, answer: Record<string, string>) {
  const url = new URL(ask.redirectUri);
  for (const [name, value] of Object.entries({
    ...answer,
    ...(ask.state === null ? {} : { state: ask.state }),
  }))
    url.searchParams.set(name, value);
  return reply.code(302).header('location', url.href).header('cache-control', 'no-store').send();
}

function sendMistake(platform: Platform, reply: FastifyReply, parameter: string) {
  const content = html`<section class="card"><h1>Something went wrong</h1>
<p>The app that sent you here made a mistake, so you can't connect with it. Tell its developers which parameter is wrong:</p>
<p><code>${parameter}</code></p></section>`;
  return sendPage(platform, reply.code(400), 'Something went wrong', content);
}

function sendConsent(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  ask: Ask,
  mistake: string | null = null,
) {
  const known = platform.store.all<{ username: string }>('select username from accounts order by username');
  const query = request.url.slice(request.url.indexOf('?'));
  const boxes = ask.scopes.map(
    (scope): Html => html`<label class="box"><input type="checkbox" name="scope" value="${scope}" checked>
<span>${SCOPES[scope] as string} <code>${scope}</code></span></label>`,
  );
  const content = html`<form class="card" method="post" action="${query}">
<h1>Connect an account</h1>
<p>${new URL(ask.redirectUri).host} wants to connect a sandbox account. Any name works: a new account is created if needed.</p>
${ask.organization === null ? null : html`<p>Requested by <strong>${ask.organization}</strong>${ask.hint === null ? '' : `, for @${ask.hint}`}.</p>`}
${mistake === null ? null : html`<p class="mistake" role="alert">${mistake} Use up to 24 lower-case letters, digits, dots, hyphens and underscores.</p>`}
<label class="field">Username
<input name="username" list="known" value="${ask.hint ?? known[0]?.username ?? 'demo.creator'}" autocomplete="off" autocapitalize="none" maxlength="25" required></label>
<datalist id="known">${known.map(({ username }) => html`<option value="${username}"></option>`)}</datalist>
<fieldset><legend>Permissions</legend><input type="hidden" name="with_scopes" value="1">${boxes}</fieldset>
<div class="actions"><button class="primary" name="decision" value="allow">Allow</button>
<button name="decision" value="deny" formnovalidate>Deny</button></div>
</form>`;
  return sendPage(platform, reply, 'Connect an account', content, new URL(ask.redirectUri).origin);
}
