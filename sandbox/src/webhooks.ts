// Notifies the client of events: signed, at least once, and retried with growing pauses until it answers 2xx.
import { createHmac } from 'node:crypto';
import { accountOf } from './accounts.js';
import { createJobs } from './jobs.js';
import { DAY_MS, HOUR_MS, type Platform, retryMsOf } from './platform.js';

interface WebhookRow {
  id: number;
  event: string;
  body: string;
  at: number;
  copies: number;
  attempts: number;
}

const ANSWER_WITHIN_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
/** Used while there is no URL to send to. */
const NOWHERE_PAUSE_MS = 60_000;
const GIVE_UP_AFTER_MS = 3 * DAY_MS;
const MAX_CONCURRENT = 4;

export interface Webhooks {
  /** Inside a transaction it is committed or rolled back with it. */
  enqueue(event: string, username: string, content: object): void;
  /** Continues with webhooks that an earlier run could not deliver. */
  resume(): void;
  close(): Promise<void>;
}

/** The header's value: the time of sending, and an HMAC of it and the exact bytes of the body. */
export function signatureOf(secret: string, seconds: number, body: string): string {
  const hex = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},s=${hex}`;
}

export function createWebhooks(platform: Platform): Webhooks {
  const { options, store, settings, log } = platform;
  const jobs = createJobs<number>(MAX_CONCURRENT, send, (id, err) => {
    log.error({ err }, 'a webhook could not be sent');
    jobs.add(id, retryMsOf(platform));
  });

  async function send(id: number, stop: AbortSignal): Promise<void> {
    const row = store.get<WebhookRow>("select * from webhooks where id = ? and state = 'pending'", id);
    const url = options.webhookUrl();
    if (!row) return;
    if (url === null) return jobs.add(id, NOWHERE_PAUSE_MS);
    const taken = await post(url, row.body, stop);
    if (stop.aborted) return;
    const copies = taken ? row.copies - 1 : row.copies;
    const tooOld = platform.now() - row.at > GIVE_UP_AFTER_MS;
    const state = copies <= 0 ? 'delivered' : tooOld ? 'given_up' : 'pending';
    store.run(
      'update webhooks set state = ?, copies = ?, attempts = attempts + 1 where id = ?',
      state,
      copies,
      id,
    );
    if (state === 'given_up')
      log.warn({ event: row.event }, 'a webhook was never accepted; the sandbox gave up');
    if (state === 'pending') jobs.add(id, taken ? 0 : pauseAfter(row.attempts));
  }

  async function post(url: string, body: string, stop: AbortSignal): Promise<boolean> {
    const signature = signatureOf(options.clientSecret, Math.floor(platform.now() / 1000), body);
    try {
      const { ok } = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'tiktok-signature': signature },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      }).then(async (response) => {
        await response.body?.cancel();
        return response;
      });
      return ok;
    } catch {
      return false;
    }
  }

  return {
    enqueue(event, username, content) {
      if (options.webhookUrl() === null) return;
      const body = JSON.stringify({
        client_key: options.clientKey,
        event,
        create_time: Math.floor(platform.now() / 1000),
        user_openid: accountOf(store, username).open_id,
        content: JSON.stringify(content),
      });
      const row = { event, body, at: platform.now(), copies: settings.webhook_copies };
      jobs.add(Number(store.insert('webhooks', row)));
    },

    resume() {
      // By then the server listens, and the URL is known.
      for (const { id } of store.all<{ id: number }>(
        "select id from webhooks where state = 'pending' order by id",
      ))
        jobs.add(id, FIRST_PAUSE_MS);
    },

    close: () => jobs.close(),
  };
}

const pauseAfter = (attempts: number) => Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 20), HOUR_MS);
