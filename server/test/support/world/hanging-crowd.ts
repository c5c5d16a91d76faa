// An organization whose platform calls hang until they are released, with as much due work as a test needs.

import type { App } from '../../../src/app/app.js';
import type { Connector, PlatformFailure } from '../../../src/connectors/connector.js';
import type { AttemptRow } from '../../../src/db/tables.js';
import { sealUpload, unsealUpload } from '../../../src/publishing/attempt/sealed.js';
import { Latch } from '../platform/scripted-connector.js';
import { addDuePosts, type Owner, ownerOfAccounts, smallPicture, tokensOf } from './due-posts.js';
import { HOUR_MS } from './world.js';

const ROWS_PER_STATEMENT = 250;

export class HangingCrowd {
  private readonly tokens = new Set<string>();
  private latch = new Latch();
  /** Calls that hang just now. */
  hanging = 0;

  readonly wrap = (real: Connector): Connector => ({
    ...real,
    creator: async (token, ...rest) => (await this.hang(token)) ?? real.creator(token, ...rest),
    observe: async (token, ...rest) => (await this.hang(token)) ?? real.observe(token, ...rest),
  });

  /** An organization of so many accounts, all of which hang from now on. */
  async gather(app: App, accounts: number): Promise<Owner> {
    const owner = await ownerOfAccounts(app, accounts);
    for (const token of await tokensOf(app, owner)) this.tokens.add(token);
    return owner;
  }

  /** Ends all hanging calls without an answer, and lets later calls pass. */
  release(): void {
    this.tokens.clear();
    this.latch.open();
    this.latch = new Latch();
  }

  private async hang(token: string): Promise<PlatformFailure | null> {
    if (!this.tokens.has(token)) return null;
    this.hanging++;
    await this.latch.opened;
    this.hanging--;
    return { kind: 'later', code: 'no_answer', reason: 'The platform did not answer (no_answer)' };
  }
}

/** Posts that were due an hour ago, distributed over all accounts. None gets far enough to need its file. */
export async function addBacklog(app: App, owner: Owner, posts: number): Promise<string[]> {
  const since = app.clock.now() - HOUR_MS;
  return addDuePosts(app, owner, {
    posts,
    slot: (n) => since + n,
    picture: await smallPicture(),
    name: 'backlog',
    withoutFiles: true,
  });
}

/** Attempts that were due an hour ago, distributed over all accounts, each like `model` but on its own post. */
export async function addAttempts(
  app: App,
  owner: Owner,
  attempts: number,
  model: AttemptRow,
): Promise<void> {
  const posts = await addBacklog(app, owner, attempts);
  const since = app.clock.now() - HOUR_MS;
  const upload = unsealUpload(app, model);
  const rows = posts.map((post_id, n) => {
    const row = {
      ...model,
      org_id: owner.orgId,
      id: app.newId(),
      post_id,
      nonce: model.nonce && app.newId(),
      social_account_id: owner.ids[n % owner.ids.length] as string,
      // The worker first asks the platform for the upload's progress.
      sent_at: since,
      next_at: since + n,
    };
    return { ...row, upload: upload && sealUpload(app, row, upload) };
  });
  await app.db.transact(async (tx) => {
    await tx.updateTable('posts').set({ status: 'posted' }).where('org_id', '=', owner.orgId).execute();
    for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT)
      await tx
        .insertInto('dispatches')
        .values(rows.slice(from, from + ROWS_PER_STATEMENT))
        .execute();
  });
}
