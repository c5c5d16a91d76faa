// Links that one person can use once, for one purpose: to sign in, to set a new password, or to verify their email. The token is in
// the fragment, so that it appears in no log, and only its hash is stored.
import type { App, TxApp } from '../../app/app.js';
import type { Reader, Tx } from '../../db/database.js';
import type { PersonLinkTable, PersonRow } from '../../db/tables.js';
import { hashSecret } from '../hash-secret.js';
import { lockPerson, type PersonKey } from './people.js';
import { isToken, makeToken } from './tokens.js';

export type LinkPurpose = PersonLinkTable['purpose'];

interface NewLink {
  purpose: LinkPurpose;
  /** The member who asks for it, who may be the person. Null: the operator, or the service. */
  madeBy: string | null;
  lastsMs: number;
}

export interface PersonLink {
  url: string;
  expiresAt: number;
}

/** Anyone can ask for a link in a person's name. If each one ended the one before, the person might never be able to use theirs. */
const OWN_LINKS = 3;

/** Ends earlier links of the same purpose and maker. The person is locked, or was just created. */
export async function createPersonLink(
  app: TxApp,
  tx: Tx,
  { org_id, id }: PersonKey,
  { purpose, madeBy, lastsMs }: NewLink,
): Promise<PersonLink> {
  const token = makeToken();
  const now = app.clock.now();
  const expiresAt = now + lastsMs;
  const earlier = await tx
    .selectFrom('person_links')
    .select('hash')
    .where('org_id', '=', org_id)
    .where('person_id', '=', id)
    .where('purpose', '=', purpose)
    .where('made_by', madeBy === null ? 'is' : '=', madeBy)
    .orderBy('created_at', 'desc')
    .execute();
  const ended = earlier.slice(madeBy === id ? OWN_LINKS - 1 : 0).map(({ hash }) => hash);
  if (ended.length > 0)
    await tx.deleteFrom('person_links').where('org_id', '=', org_id).where('hash', 'in', ended).execute();
  await tx
    .insertInto('person_links')
    .values({
      hash: hashSecret(token),
      org_id,
      person_id: id,
      purpose,
      made_by: madeBy,
      created_at: now,
      expires_at: expiresAt,
    })
    .execute();
  return { url: `${app.urls.publicUrl}/${purpose}#${token}`, expiresAt };
}

interface FoundLink {
  hash: string;
  person: PersonKey;
  madeBy: string | null;
}

/** Undefined unless the link still works for this purpose. */
export async function findPersonLink(
  { clock }: Pick<App, 'clock'>,
  read: Reader,
  token: string,
  purpose: LinkPurpose,
): Promise<FoundLink | undefined> {
  if (!isToken(token)) return undefined;
  const row = await read
    .selectFrom('person_links')
    .select(['hash', 'org_id', 'person_id', 'made_by'])
    .where('hash', '=', hashSecret(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', clock.now())
    .executeTakeFirst();
  return row && { hash: row.hash, person: { org_id: row.org_id, id: row.person_id }, madeBy: row.made_by };
}

/** Ends the link and returns its person, locked. Of several uses at the same time, only one gets the person. */
export async function usePersonLink(
  app: Pick<App, 'clock'>,
  tx: Tx,
  token: string,
  purpose: LinkPurpose,
): Promise<{ person: PersonRow; madeBy: string | null } | undefined> {
  const link = await findPersonLink(app, tx, token, purpose);
  // People before their links, as everywhere: otherwise two transactions could deadlock.
  const person = link && (await lockPerson(tx, link.person));
  if (!person) return undefined;
  const { numDeletedRows } = await tx
    .deleteFrom('person_links')
    .where('org_id', '=', person.org_id)
    .where('hash', '=', link.hash)
    .executeTakeFirst();
  return numDeletedRows === 0n ? undefined : { person, madeBy: link.madeBy };
}
