// The page at the end of connecting an account, and the redirect for connections begun in the dashboard. The page has no
// script and loads no file, and it escapes all text that we did not write.
import { createHash } from 'node:crypto';
import type { CallbackResult, ConnectResult } from './connect.js';

interface Page {
  status: number;
  headers: Record<string, string>;
  text: string;
}

interface Words {
  status: number;
  title: string;
  /** One paragraph each. */
  paragraphs: string[];
}

const TRY_AGAIN = 'Get a new link where you got this one, and try again.';

function wordsFor(ending: ConnectResult): Words {
  switch (ending.kind) {
    case 'connected':
      return {
        status: 200,
        title: `Connected as @${ending.username}`,
        paragraphs: [
          ...ending.lacks.map(({ scope, meaning }) => `${meaning} (${scope})`),
          ...(ending.lacks.length > 0 ? ['To change that, reconnect the account and allow it.'] : []),
          'You can close this page.',
        ],
      };
    case 'stale':
      return {
        status: 400,
        title: 'This link no longer works',
        paragraphs: [
          `It was already used, is more than ten minutes old, or wasn't issued here. ${TRY_AGAIN}`,
        ],
      };
    case 'foreign':
      return {
        status: 400,
        title: 'This connection was started in another session',
        paragraphs: [
          "It was started in the dashboard, in a session that has ended or isn't the one in this browser.",
          'Nothing was connected. Sign in to the dashboard and start again there.',
        ],
      };
    case 'denied':
      return {
        status: 400,
        title: 'Access was denied',
        paragraphs: ["The account isn't connected, and nothing has changed.", TRY_AGAIN],
      };
    case 'incomplete':
      return {
        status: 400,
        title: "The connection wasn't completed",
        paragraphs: [`The platform sent you back without an answer. ${TRY_AGAIN}`],
      };
    case 'insufficient_scopes':
      return {
        status: 400,
        title: "The account wasn't connected",
        paragraphs: [
          "Neither publishing (video.publish) nor inbox drafts (video.upload) were allowed, so Airdate couldn't post anything.",
          'Try again with a new link and allow at least one of them.',
        ],
      };
    case 'quota_exceeded':
      return { status: 409, title: "The account wasn't connected", paragraphs: [ending.reason] };
    case 'failed':
      return {
        status: 502,
        title: 'The platform refused the connection',
        paragraphs: [`It ended the connection with an error (${ending.code}).`, TRY_AGAIN],
      };
    case 'refused':
    case 'blocked':
    case 'reauthorize':
      return {
        status: 502,
        title: 'The platform refused the connection',
        paragraphs: [`${ending.reason}.`, TRY_AGAIN],
      };
    case 'later':
    case 'unknown':
      return {
        status: 503,
        title: "The platform isn't responding",
        paragraphs: [`${ending.reason}.`, `The account wasn't connected. ${TRY_AGAIN}`],
      };
  }
}

const STYLE = `:root{color-scheme:light dark;--ink:#14171f;--paper:#fbfaf8;--soft:#5d6270;--line:#e4e0d9;--signal:#c9301c}
@media (prefers-color-scheme:dark){:root{--ink:#f2efe9;--paper:#14171f;--soft:#a9adb8;--line:#2b303c;--signal:#ff8a75}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--paper);color:var(--ink);font:16px/1.6 Inter,system-ui,sans-serif}
main{box-sizing:border-box;width:calc(100% - 3rem);max-width:34rem;margin:1.5rem;padding:2rem;border:1px solid var(--line);border-radius:10px}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.3;overflow-wrap:anywhere}
p{margin:0 0 1rem;color:var(--soft)}
a{color:var(--signal)}`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Which organization asked, and for which account, so that a person who was sent a link sees who may publish now. */
function contextOf({ ending, request }: Pick<CallbackResult, 'ending' | 'request'>): string[] {
  if (!request) return [];
  const organization = `The organization “${request.organization}”`;
  const { account } = request;
  if (ending.kind !== 'connected')
    return [`${organization} asked to ${account ? `reconnect @${account.username}` : 'connect an account'}.`];
  const isAnother = account !== null && account.id !== ending.account.id;
  return [
    `${organization} can now post as @${ending.username}.`,
    ...(isAnother ? [`It had asked for @${account.username}; that account hasn't changed.`] : []),
  ];
}

export function callbackPage(back: Pick<CallbackResult, 'ending' | 'request'>): Page {
  const { status, title, paragraphs: result } = wordsFor(back.ending);
  const paragraphs = [...contextOf(back), ...result];
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Airdate</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('\n')}
<p><a href="/">Airdate</a></p>
</main>
</body>
</html>
`;
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY };
  return { status, headers, text };
}

/** Error codes for the dashboard, which has its own texts for them. */
const REASONS: Record<Exclude<ConnectResult['kind'], 'connected'>, string> = {
  stale: 'stale',
  foreign: 'foreign',
  denied: 'access_denied',
  incomplete: 'incomplete',
  insufficient_scopes: 'insufficient_scopes',
  quota_exceeded: 'quota_exceeded',
  failed: 'platform_refused',
  refused: 'platform_refused',
  blocked: 'platform_refused',
  reauthorize: 'platform_refused',
  later: 'platform_unavailable',
  unknown: 'platform_unavailable',
};

/** `account` is the one to be reconnected: the dashboard knows its name. */
export function dashboardPath({ ending, request }: Pick<CallbackResult, 'ending' | 'request'>): string {
  const query = new URLSearchParams(
    ending.kind === 'connected' ? { connected: ending.account.id } : { error: REASONS[ending.kind] },
  );
  if (request?.account) query.set('account', request.account.id);
  return `/accounts?${query}`;
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] as string);
