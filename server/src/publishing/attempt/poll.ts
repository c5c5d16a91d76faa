// Asks the platform what became of an attempt, and writes the answer back. Observing never creates anything there.
import { asAccount, doubtGrant } from '../../accounts/tokens.js';
import type { App } from '../../api/app.js';
import type { Outcome } from '../../connectors/connector.js';
import type { DispatchRow } from '../../db/tables.js';
import { withLease } from './lease.js';
import { accountOf, settleSurely } from './send.js';
import { openUpload } from './settle.js';

/** How long the platform waits for the bytes of a video. */
const UPLOAD_LIFE_MS = 3_600_000;

export const observe = (app: App, held: DispatchRow): Promise<DispatchRow | null> =>
  withLease(app, held, () => ask(app, held));

async function ask(app: App, held: DispatchRow): Promise<DispatchRow | null> {
  const outcome = orExpired(app, held, await askStatus(app, held));
  // The platform tells of a grant that was taken away in this way too. It may have been an earlier one: the account may
  // have been connected again since, and the answer is then the new grant's.
  if (outcome.kind === 'refused' && outcome.code === 'auth_removed') await doubtGrant(app, accountOf(held));
  return settleSurely(app, held, outcome);
}

/** The platform waits for no upload longer than this; what is not whole by then never will be. */
export const isUploadOver = (app: App, { accepted_at }: DispatchRow): boolean =>
  app.clock.now() > (accepted_at ?? 0) + UPLOAD_LIFE_MS;

function orExpired(app: App, held: DispatchRow, said: Outcome): Outcome {
  if (said.kind !== 'accepted' || said.receivedBytes === undefined || !isUploadOver(app, held)) return said;
  const upload = openUpload(app, held);
  if (!upload || said.receivedBytes >= upload.plan.videoSize) return said;
  const reason = 'The video did not reach the platform in time (upload_expired)';
  return { kind: 'refused', code: 'upload_expired', reason, isRepeatable: true };
}

export async function askStatus(app: App, { publish_id, ...dispatch }: DispatchRow): Promise<Outcome> {
  if (publish_id === null) throw new Error(`dispatch ${dispatch.id} has nothing to be asked about`);
  const { org_id, social_account_id: id } = dispatch;
  const [account] = await app.reads.usernameOfAccount(org_id, id);
  const asked = { publishId: publish_id, username: account?.username ?? null };
  return asAccount<Outcome>(app, { org_id, id }, (token, signal) =>
    app.connector().status(token, asked, signal),
  );
}
