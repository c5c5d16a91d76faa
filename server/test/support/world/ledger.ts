// What the platform knows: the publishes that it has accepted, and the webhooks that it sends.
import { signatureOf } from '@airdate/sandbox/webhooks.js';
import { CLIENT } from '../platform/test-platform.js';
import { until } from '../runner/until.js';
import type { Answer } from '../service/send.js';
import type { ServiceBesidePlatform } from './beside-platform.js';
import type { storedIn } from './stored.js';

/** What the platform has accepted. */
export interface Published {
  publish_id: string;
  username: string;
  kind: 'photo' | 'video';
  mode: 'direct' | 'inbox';
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  request: any;
  status: string;
  bytes: number;
}

export interface WebhookOptions {
  openId?: string;
  /** When it was sent. */
  seconds?: number;
  secret?: string;
  /** Instead of the right one; empty: none. */
  signature?: string;
  /** What is sent instead of what was signed. */
  tamper?: (body: string) => string;
}

export function ledgerOf(
  world: ServiceBesidePlatform,
  { accountRow }: Pick<ReturnType<typeof storedIn>, 'accountRow'>,
) {
  /** Every init that the platform has accepted of this person, oldest first. */
  async function acceptedInits(username: string): Promise<Published[]> {
    const all: Published[] = await world.platform.publishes();
    return all.filter((published) => published.username === username);
  }

  /** The same, by the id of the account. */
  async function publishesOf(accountId: string): Promise<Published[]> {
    return acceptedInits((await accountRow(accountId)).username);
  }

  /** Those that people can see. */
  async function live(username: string): Promise<Published[]> {
    return (await acceptedInits(username)).filter(({ status }) =>
      ['PUBLISH_COMPLETE', 'SEND_TO_USER_INBOX'].includes(status),
    );
  }

  /** When the platform has nothing left to do but wait for bytes. */
  async function waitForPlatform(username: string): Promise<void> {
    await until('the platform is done', async () =>
      (await acceptedInits(username)).every(
        ({ status, bytes, request }) =>
          !status.startsWith('PROCESSING') || bytes < (request.source_info.video_size ?? 0),
      ),
    );
  }

  /** A webhook as the platform would send it: signed now, unless told otherwise. */
  async function webhook(event: string, content: object, more: WebhookOptions = {}): Promise<Answer> {
    const seconds = more.seconds ?? Math.floor(world.now() / 1000);
    const body = JSON.stringify({
      client_key: CLIENT.client_key,
      event,
      create_time: seconds,
      user_openid: more.openId ?? 'an-open-id',
      content: JSON.stringify(content),
    });
    const signature = more.signature ?? signatureOf(more.secret ?? CLIENT.client_secret, seconds, body);
    return world.service.request('POST', '/webhooks/social', {
      raw: more.tamper?.(body) ?? body,
      headers: {
        'content-type': 'application/json',
        ...(signature ? { 'tiktok-signature': signature } : {}),
      },
    });
  }

  return { acceptedInits, publishesOf, live, waitForPlatform, webhook };
}
