// Links that sign one person in, once: for the owner of the demo organization, who has no password yet.

import type { App, TxApp } from '../../app/app.js';
import { byPerson, recordAudit } from '../../audit/record.js';
import { DAY_MS } from '../../core/durations.js';
import { AppError } from '../../core/problems.js';
import type { Tx } from '../../db/database.js';
import { hashSecret } from '../hash-secret.js';
import { lockPerson, type PersonKey } from './people.js';
import type { Enter } from './schema.js';
import { beginSession, type ClientInfo } from './sessions.js';
import { isToken, makeToken } from './tokens.js';

const LINK_MS = DAY_MS;

/** The full URL, with the token in the fragment so that it appears in no log. Invalidates the person's earlier links. */
export async function createEntryLink(app: TxApp, tx: Tx, { org_id, id }: PersonKey): Promise<string> {
  const token = makeToken();
  await tx.deleteFrom('sign_in_links').where('org_id', '=', org_id).where('person_id', '=', id).execute();
  await tx
    .insertInto('sign_in_links')
    .values({ hash: hashSecret(token), org_id, person_id: id, expires_at: app.clock.now() + LINK_MS })
    .execute();
  return `${app.urls.publicUrl}/enter#${token}`;
}

/** Returns the token of a new session. */
export async function signInWithLink(app: App, { token }: Enter, client: ClientInfo): Promise<string> {
  if (!isToken(token)) throw spent();
  return app.db.transact(async (tx) => {
    const link = await tx
      .deleteFrom('sign_in_links')
      .where('hash', '=', hashSecret(token))
      .where('expires_at', '>', app.clock.now())
      .returning(['org_id', 'person_id'])
      .executeTakeFirst();
    if (!link) throw spent();
    const person = await lockPerson(tx, { org_id: link.org_id, id: link.person_id });
    if (!person) throw spent();
    await recordAudit(app, tx, byPerson(person, client.ip), {
      action: 'person.signed_in',
      target: person,
      details: { with: 'link' },
    });
    return beginSession(app, tx, person, client);
  });
}

const spent = () =>
  new AppError(
    'gone',
    'This link was already used, has expired, or never existed. The next start of the service shows a new one.',
  );
