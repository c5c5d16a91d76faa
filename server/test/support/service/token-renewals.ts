import { createRenewals } from '../../../src/accounts/tokens.js';
import type { App } from '../../../src/app/app.js';

/** What a worker does about tokens, until nothing is left that it can do now. */
export async function renewTokens(app: App): Promise<void> {
  const renewals = createRenewals(app);
  const countDue = async () => {
    const { n } = await app.db.read
      .selectFrom('social_accounts')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('refresh_at', '<=', app.clock.now())
      .executeTakeFirstOrThrow();
    return Number(n);
  };
  for (let before = Number.POSITIVE_INFINITY, due = await countDue(); due < before; ) {
    await renewals.startDue();
    await renewals.idle();
    [before, due] = [due, await countDue()];
  }
}
