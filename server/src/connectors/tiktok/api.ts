// The platform's JSON endpoints: their envelope, the flat errors of OAuth, and responses that are neither.
import { type Exchange, exchange, type Fault, type Raw, retryAfterMs } from './http.js';
import { type Fields, fieldsOf, parseJson, textOf } from './json.js';

/** An error from the platform. The code is empty if it named none. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  retryAfterMs?: number;
}

export type Answer = { data: Fields } | { refusal: Refusal } | { fault: Fault };

interface CallOptions {
  signal: AbortSignal;
  isFresh?: boolean;
}

const COMMON = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'Airdate' };

export function openApi(apiUrl: string) {
  const root = apiUrl.replace(/\/+$/, '');
  const send = (path: string, sent: Exchange, signal: AbortSignal) =>
    exchange(new URL(root + path), sent, signal);
  const bodyOf = (contentType: string, text: string, more: Record<string, string>) => ({
    method: 'POST' as const,
    headers: {
      ...COMMON,
      'content-type': contentType,
      'content-length': String(Buffer.byteLength(text)),
      ...more,
    },
    body: text,
  });
  const bearer = (accessToken: string) => ({ authorization: `Bearer ${accessToken}` });

  return {
    /** A JSON call on behalf of an account. */
    async post(path: string, accessToken: string, body: Fields, { signal, isFresh = false }: CallOptions) {
      const sent = bodyOf('application/json; charset=UTF-8', JSON.stringify(body), bearer(accessToken));
      return readEnvelope(await send(path, { ...sent, isFresh }, signal));
    },
    async get(
      path: string,
      accessToken: string,
      query: Record<string, string>,
      { signal, isFresh = false }: CallOptions,
    ) {
      const headers = { ...COMMON, ...bearer(accessToken) };
      const address = `${path}?${new URLSearchParams(query)}`;
      return readEnvelope(await send(address, { method: 'GET', headers, isFresh }, signal));
    },
    /** A call to the token endpoints. */
    async form(path: string, fields: Record<string, string>, signal: AbortSignal) {
      const text = new URLSearchParams(fields).toString();
      const sent = bodyOf('application/x-www-form-urlencoded', text, { 'cache-control': 'no-cache' });
      return readFlat(await send(path, { ...sent, isFresh: true }, signal));
    },
  };
}

/** `{data, error: {code, message, log_id}}`. Only the code tells success, never the HTTP status alone. */
function readEnvelope(raw: Raw): Answer {
  if ('fault' in raw) return raw;
  const body = raw.isWhole ? fieldsOf(parseJson(raw.text)) : null;
  const error = fieldsOf(body?.error);
  const code = textOf(error?.code) ?? '';
  if (code === 'ok' && isGood(raw.status)) return { data: fieldsOf(body?.data) ?? {} };
  return refusalOf(raw, code === 'ok' ? '' : code, textOf(error?.message));
}

/** Flat: `{error, error_description, log_id}` with any HTTP status is a failure; everything else is data. */
function readFlat(raw: Raw): Answer {
  if ('fault' in raw) return raw;
  const body = raw.isWhole ? fieldsOf(parseJson(raw.text)) : null;
  // A successful revocation has an empty body.
  const isEmpty = raw.isWhole && raw.text.trim() === '';
  if (isGood(raw.status) && isEmpty) return { data: {} };
  const named = textOf(body?.error) ?? textOf(fieldsOf(body?.error)?.code) ?? '';
  const code = named === 'ok' ? '' : named;
  if (isGood(raw.status) && body && code === '') return { data: body };
  return refusalOf(raw, code, textOf(body?.error_description));
}

const isGood = (status: number) => status >= 200 && status < 300;

function refusalOf(
  { status, headers }: Extract<Raw, { status: number }>,
  code: string,
  message: string | null,
): Answer {
  // Neither an error nor a success.
  if (code === '' && status < 400) return { fault: 'malformed' };
  const wait = retryAfterMs(headers);
  return {
    refusal: {
      status,
      code,
      message: message ?? '',
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    },
  };
}
