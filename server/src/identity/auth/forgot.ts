// Forgotten passwords: a member asks for a link and finds it in their mailbox. The answer comes before anything is looked up, so neither its
// bytes nor its time tell whether the address is known.
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { App } from '../../app/app.js';
import { HOUR_MS } from '../../core/durations.js';
import { toLogFields } from '../../core/log.js';
import { networkOf } from '../../core/networks.js';
import { personByEmail, sameEmail } from './people.js';
import type { Forgot } from './schema.js';

const TRIES_PER_ADDRESS = 3;
const TRIES_PER_NETWORK = 20;

/** Known and unknown addresses count alike. The network is first: who has used it up can no longer keep a member from asking. */
export async function limitForgotten(
  { server, ip }: Pick<FastifyRequest, 'server' | 'ip'>,
  { email }: Forgot,
): Promise<void> {
  await server.limitTries(`forgot:${networkOf(ip)}`, TRIES_PER_NETWORK, 1, HOUR_MS);
  const address = hash('sha256', sameEmail(email), 'hex');
  await server.limitTries(`forgot:${address}`, TRIES_PER_ADDRESS, 1, HOUR_MS);
}

/** Does not wait for what it begins. */
export function forgotPassword(app: App, { email }: Forgot): void {
  void app.background.start(() =>
    sendResetLink(app, email).catch((err) =>
      app.log.warn(toLogFields(err), 'a link for a forgotten password was not sent'),
    ),
  );
}

/** An address that no one has verified may be a stranger's, who must not get a link into the organization. */
async function sendResetLink(app: App, email: string): Promise<void> {
  const person = await personByEmail(app.db.read, email);
  if (person && person.email_verified_at !== null) await app.mail?.sendResetLink(person);
}
