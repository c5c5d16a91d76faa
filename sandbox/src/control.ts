// How tests control the sandbox, below /__control. Responses are {"data": …}, or 400 with {"error": "…"}.
//
//   GET  publishes             every accepted init, oldest first
//   GET  webhooks              every webhook, oldest first: {id, event, body, attempts, state}
//   GET  faults                those that are not used up
//   POST faults                {on, kind, times?, after?, ms?}: skips `after` calls; `ms` is the delay of "slow"
//   POST outcomes              {username?, status: "FAILED", fail_reason}: the result of the next processing
//   POST clear                 removes faults and outcomes
//   POST accounts              {username, is_private?, is_banned?, comment_disabled?, duet_disabled?,
//                              stitch_disabled?, max_video_seconds?, nickname?}: creates or changes an account
//   POST expire_tokens         {username}: its access tokens expire now; they can be refreshed
//   POST remove_authorization  {username, reason?}: the person revokes the client's access (1), or another reason
//   POST post_draft            {publish_id}: the person posts a draft from the inbox
//   POST settings              any of the settings in platform.ts; returns all of them
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ensureAccount, USERNAME } from './accounts.js';
import { FAULT_KINDS, FAULT_TARGETS } from './faults.js';
import { type OnRemoved, removeAuthorization } from './oauth.js';
import { DEFAULT_SETTINGS, type Platform, saveSettings } from './platform.js';
import type { Processing } from './processing.js';
import { type Fields, isFields } from './responses.js';
import type { PublishRow } from './store.js';

const SLOW_MS = 3_000;
const ACCOUNT_FLAGS = ['is_private', 'is_banned', 'comment_disabled', 'duet_disabled', 'stitch_disabled'];

class Mistake extends Error {}

export function controlRoutes(
  app: FastifyInstance,
  platform: Platform,
  processing: Processing,
  onRemoved: OnRemoved,
): void {
  const { store } = platform;

  app.register(
    async (control) => {
      control.setErrorHandler((error, _request, reply) =>
        error instanceof Mistake ? reply.code(400).send({ error: error.message }) : Promise.reject(error),
      );
      const on = (path: string, act: (body: Fields) => unknown) =>
        control.post(path, async (request: FastifyRequest, reply: FastifyReply) =>
          reply.send({ data: act(bodyOf(request)) ?? {} }),
        );

      control.get('/publishes', async () => ({
        data: store.all<PublishRow>('select * from publishes order by seq').map(presentPublish),
      }));
      control.get('/webhooks', async () => ({
        data: store.all('select id, event, body, attempts, state from webhooks order by id'),
      }));

      control.get('/faults', async () => ({
        data: store.all('select target as "on", kind, times, skip as after, ms from faults order by id'),
      }));
      on('/faults', (body) => {
        store.insert('faults', {
          target: oneOf(FAULT_TARGETS, body.on, 'on'),
          kind: oneOf(FAULT_KINDS, body.kind, 'kind'),
          skip: countOf(body.after, 0, 'after'),
          times: countOf(body.times, 1, 'times'),
          ms: countOf(body.ms, SLOW_MS, 'ms'),
        });
      });
      on('/outcomes', (body) => {
        const status = oneOf(['FAILED'], body.status, 'status');
        if (typeof body.fail_reason !== 'string') throw new Mistake('fail_reason must be text.');
        const username = body.username === undefined ? null : usernameOf(body);
        store.insert('outcomes', { username, status, fail_reason: body.fail_reason });
      });
      on('/clear', () => {
        store.run('delete from faults');
        store.run('delete from outcomes');
      });
      on('/accounts', (body) => changeAccount(platform, body));
      on('/expire_tokens', (body) => {
        const sql = 'update tokens set expires_at = min(expires_at, ?) where username = ?';
        return { expired: store.run(sql, platform.now(), usernameOf(body)) };
      });
      on('/remove_authorization', (body) => {
        const username = usernameOf(body);
        ensureAccount(store, username);
        removeAuthorization(platform, username);
        onRemoved(username, countOf(body.reason, 1, 'reason'));
      });
      on('/post_draft', (body) => {
        if (!processing.postDraft(String(body.publish_id))) throw new Mistake('There is no such draft.');
      });
      on('/settings', (body) => {
        const unknown = Object.keys(body).filter((name) => !Object.hasOwn(DEFAULT_SETTINGS, name));
        if (unknown.length > 0) throw new Mistake(`There is no setting ${unknown.join(', ')}.`);
        saveSettings(platform, body);
        return platform.settings;
      });
    },
    { prefix: '/__control' },
  );
}

function presentPublish(row: PublishRow) {
  const { publish_id, username, kind, mode, status, bytes } = row;
  const at = new Date(row.at).toISOString();
  return { publish_id, username, kind, mode, at, request: JSON.parse(row.request), status, bytes };
}

function changeAccount({ store }: Platform, body: Fields) {
  const username = usernameOf(body);
  ensureAccount(store, username);
  for (const flag of ACCOUNT_FLAGS)
    if (body[flag] !== undefined)
      store.run(`update accounts set ${flag} = ? where username = ?`, body[flag] ? 1 : 0, username);
  if (body.max_video_seconds !== undefined)
    store.run(
      'update accounts set max_video_seconds = ? where username = ?',
      countOf(body.max_video_seconds, 600, 'max_video_seconds'),
      username,
    );
  if (body.nickname !== undefined)
    store.run('update accounts set nickname = ? where username = ?', String(body.nickname), username);
  return ensureAccount(store, username);
}

function bodyOf(request: FastifyRequest): Fields {
  const text = String(request.body ?? '').trim() || '{}';
  try {
    const body = JSON.parse(text);
    if (isFields(body)) return body;
  } catch {}
  throw new Mistake('The body must be a JSON object.');
}

function oneOf<T extends string>(choices: readonly T[], value: unknown, name: string): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new Mistake(`${name} must be one of ${choices.join(', ')}.`);
  return found;
}

function countOf(value: unknown, fallback: number, name: string): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new Mistake(`${name} must be a whole number.`);
}

function usernameOf({ username }: Fields): string {
  if (typeof username === 'string' && USERNAME.test(username)) return username;
  throw new Mistake('username must be the name of an account.');
}
