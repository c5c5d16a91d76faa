// The TikTok connector: combines calls, responses and outcomes. It knows the platform only by URLs and credentials, so it
// talks to the sandbox in exactly the same way.
import { createHash } from 'node:crypto';
import {
  type Accepted,
  type Connector,
  type Draft,
  type Finding,
  type Grant,
  type Outcome,
  type PlatformFailure,
  type Result,
  type Supports,
  TOGGLE_NAMES,
} from '../connector.js';
import {
  readCreator,
  readGrant,
  readIdentity,
  readPublishId,
  readStatus,
  readUploadAddress,
} from './answers.js';
import { type Answer, openApi } from './api.js';
import { checkDraft } from './checks.js';
import { planChunks, resumeAt } from './chunks.js';
import { consent } from './consent.js';
import type { Fields } from './json.js';
import { BLOCK_CODES, type Call, failure, failureFrom, KNOWN_CODES } from './outcomes.js';
import { INIT_PATHS, slidesBody, videoBody } from './requests.js';
import { sendChunk } from './transfer.js';
import { readWebhook } from './webhooks.js';

export interface TikTokOptions {
  /** `/v2/…` is appended. */
  apiUrl: string;
  /** The full URL of the consent page. */
  authUrl: string;
  clientKey: string;
  clientSecret: string;
}

const TOKEN_PATH = '/v2/oauth/token/';
const SUPPORTS: Supports = {
  postTypes: ['slides', 'video'],
  modes: ['direct', 'inbox'],
  toggles: TOGGLE_NAMES,
};

const IDENTITY_FIELDS = 'open_id,display_name,avatar_url';

export function createTikTokConnector({
  apiUrl,
  authUrl,
  clientKey,
  clientSecret,
}: TikTokOptions): Connector {
  const api = openApi(apiUrl);
  const client = { client_key: clientKey, client_secret: clientSecret };
  /** Posts are shown on the site of the consent page. */
  const siteUrl = authUrl.replace(/\/v2\/auth\/authorize\/?.*$/, '').replace(/\/+$/, '');

  const tokens = async (
    call: Call,
    fields: Record<string, string>,
    previous: string | null,
    signal: AbortSignal,
  ) =>
    resultOf<Grant>(call, await api.form(TOKEN_PATH, { ...client, ...fields }, signal), (data) =>
      readGrant(data, previous),
    );

  return {
    platform: 'tiktok',
    supports: SUPPORTS,
    consent,
    codes: KNOWN_CODES,
    blockCodes: BLOCK_CODES,

    describe: (draft, media) =>
      'addresses' in media
        ? slidesBody(draft, media)
        : videoBody(
            draft,
            planChunks(media.bytes) ?? { videoSize: media.bytes, chunkSize: 0, chunkCount: 0 },
          ),
    check: checkDraft,
    // The init of slides is the visible act. That of a video is not: the last byte is, and `observe` tells if it arrived.
    lostAnswerPolicy: ({ type }) => (type === 'slides' ? 'revoke' : 'ask'),
    resumeAt,
    sendChunk,

    async creator(accessToken, signal) {
      const answer = await api.post('/v2/post/publish/creator_info/query/', accessToken, {}, { signal });
      return resultOf('creator', answer, readCreator);
    },

    async submit(accessToken, draft, media, _memo, signal) {
      if (!('addresses' in media)) throw new TypeError('a video is submitted by its bytes');
      const mistake = mistakeOf(draft, checkDraft(draft, media, null), 'slides');
      if (mistake) return mistake;
      const path = INIT_PATHS.slides[draft.mode];
      const answer = await api.post(path, accessToken, slidesBody(draft, media), { signal, isFresh: true });
      return outcomeOf<Accepted>('init_pull', answer, (data) => {
        const publishId = readPublishId(data);
        return publishId === null
          ? null
          : { kind: 'accepted', publishId, socialStatus: 'PROCESSING_DOWNLOAD' };
      });
    },

    async prepare(accessToken, draft, media, signal) {
      if ('addresses' in media) throw new TypeError('there is nothing to prepare for slides');
      const mistake = mistakeOf(draft, checkDraft(draft, media, null), 'video');
      const plan = planChunks(media.bytes);
      if (mistake || !plan) return mistake ?? refused('video_size', 'The video cannot be sent');
      const path = INIT_PATHS.video[draft.mode];
      const answer = await api.post(path, accessToken, videoBody(draft, plan), { signal, isFresh: true });
      return outcomeOf<Accepted>('init_upload', answer, (data) => {
        const publishId = readPublishId(data);
        const address = readUploadAddress(data, apiUrl);
        if (publishId === null || address === null) return null;
        const upload = { address, contentType: media.contentType, plan };
        return { kind: 'accepted', publishId, socialStatus: 'PROCESSING_UPLOAD', upload };
      });
    },

    async observe(accessToken, { publishId, username }, signal) {
      if (publishId === null) throw new TypeError('a post is observed by its publish id');
      const body = { publish_id: publishId };
      const answer = await api.post('/v2/post/publish/status/fetch/', accessToken, body, { signal });
      return outcomeOf('status', answer, (data) => readStatus(data, publishId, username, siteUrl));
    },

    authorizeUrl({ redirectUri, state, verifier, scopes, organization, username }) {
      const url = new URL(authUrl);
      const query = {
        client_key: clientKey,
        scope: scopes.join(','),
        redirect_uri: redirectUri,
        state,
        response_type: 'code',
        // In hexadecimal, unlike the PKCE standard.
        code_challenge: createHash('sha256').update(verifier).digest('hex'),
        code_challenge_method: 'S256',
        // For the person who opens the address. OAuth demands that a platform ignores parameters it does not know (RFC 6749, 3.1).
        organization,
        ...(username === null ? {} : { login_hint: username }),
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url.href;
    },

    exchange: (code, { redirectUri, verifier }, signal) => {
      const fields = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      };
      return tokens('exchange', fields, null, signal);
    },

    // Each renewal replaces the refresh token, too.
    renew: async ({ refreshToken }, signal) =>
      refreshToken === null
        ? failureFrom('refresh', NO_REFRESH_TOKEN)
        : tokens(
            'refresh',
            { grant_type: 'refresh_token', refresh_token: refreshToken },
            // Older documentation lets a refresh token live on: if the response has none, keep the old one.
            refreshToken,
            signal,
          ),

    async revoke(accessToken, signal) {
      const answer = await api.form('/v2/oauth/revoke/', { ...client, token: accessToken }, signal);
      return 'data' in answer ? { kind: 'ok', value: null } : failureFrom('revoke', answer);
    },

    async identity(accessToken, signal) {
      const query = { fields: IDENTITY_FIELDS };
      return resultOf(
        'identity',
        await api.get('/v2/user/info/', accessToken, query, { signal }),
        readIdentity,
      );
    },

    readWebhook: (headers, body, now) => readWebhook(headers, body, { clientKey, clientSecret }, now),
  };
}

const MALFORMED = { fault: 'malformed' } as const;
const NO_REFRESH_TOKEN = { refusal: { status: 400, code: 'invalid_grant', message: '' } };

/** A successful response without its required values counts as malformed. */
function outcomeOf<Told extends Outcome>(
  call: Call,
  answer: Answer,
  read: (data: Fields) => Told | null,
): Told | PlatformFailure {
  if (!('data' in answer)) return failureFrom(call, answer);
  return read(answer.data) ?? failureFrom(call, MALFORMED);
}

function resultOf<Value>(call: Call, answer: Answer, read: (data: Fields) => Value | null): Result<Value> {
  if (!('data' in answer)) return failureFrom(call, answer);
  const value = read(answer.data);
  return value === null ? failureFrom(call, MALFORMED) : { kind: 'ok', value };
}

const refused = (code: string, text: string): PlatformFailure => ({
  ...failure('refused', code, text),
  isRepeatable: false,
});

/** Known errors are not sent, even if the caller skipped the check. */
function mistakeOf(draft: Draft, findings: Finding[], type: Draft['type']): PlatformFailure | null {
  if (draft.type !== type) throw new TypeError(`a post of the type ${draft.type} cannot be sent as ${type}`);
  const mistake = findings.find(({ level }) => level === 'error');
  return mistake ? refused(mistake.code, mistake.detail.replace(/\.$/, '')) : null;
}
