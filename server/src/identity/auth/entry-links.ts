// Links that sign one person in: for the owner of the demo organization, who has no password yet.

import type { App, TxApp } from '../../app/app.js';
import { DAY_MS } from '../../core/durations.js';
import { AppError } from '../../core/problems.js';
import type { Tx } from '../../db/database.js';
import { type Admission, admitPerson } from './factors/tickets.js';
import type { PersonKey } from './people.js';
import { createPersonLink, usePersonLink } from './person-links.js';
import type { Enter } from './schema.js';
import type { ClientInfo } from './sessions.js';

/** Ends the person's earlier links. */
export async function createEntryLink(app: TxApp, tx: Tx, person: PersonKey): Promise<string> {
  const link = { purpose: 'enter', madeBy: null, lastsMs: DAY_MS } as const;
  return (await createPersonLink(app, tx, person, link)).url;
}

export async function signInWithLink(app: App, { token }: Enter, client: ClientInfo): Promise<Admission> {
  return app.db.transact(async (tx) => {
    const link = await usePersonLink(app, tx, token, 'enter');
    if (!link) throw spent();
    const { person } = link;
    const proof = person.password_hash === null ? 'link' : null;
    return admitPerson(app, tx, person, client, { by: 'link', proof });
  });
}

const spent = () =>
  new AppError(
    'gone',
    'This link was already used, has expired, or never existed. The next start of the service shows a new one.',
  );
