// Mistakes that could be made in the engine, each planted at the line of the sources that a marker names (markers.ts). The
// sampled sweep has to find them, or the test file that a mistake names.
import { type Change, changed, ifOnly, preceded, removed, replaced, valued } from './markers.js';

export interface Mutant {
  /** What is wrong with it. */
  title: string;
  /** What becomes of the line at each marker. */
  at: Readonly<Record<string, Change>>;
  /** The test that has to fail instead of the sample. */
  caughtBy?: string;
}

// Fences only rise, so this admits every worker that ever had a lease.
const anyFence = changed("'='", "'>='");

export const MUTANTS: readonly Mutant[] = [
  { title: 'settling is not fenced', at: { 'settling-fence': anyFence } },
  { title: 'renewing a lease, and writing under it, is not fenced', at: { 'owner-fence': anyFence } },
  {
    // Either alone protects from most failures, so both are removed.
    title: 'neither taking over nor settling raises the fence',
    at: { 'fence-of-acquiring': changed("'+', 1", "'+', 0"), 'fence-of-settling': changed('+ 1', '+ 0') },
  },
  {
    title: 'a claim does not look at the status',
    at: {
      'claim-status': changed(
        /TRANSITIONS[\w.]*/,
        "['draft', 'scheduled', 'publishing', 'posted', 'archived']",
      ),
    },
  },
  {
    title: 'no checkpoint: bytes leave before the publish id is written down',
    at: {
      checkpoint: preceded(`if (outcome.upload) {
        const { video } = readSnapshot(attempt.snapshot);
        const read = (start, end) => app.store.read(video.object_key, { start, end });
        await app.connector(attempt.platform).sendChunk(outcome.upload, 0, read, AbortSignal.timeout(60_000));
      }`),
    },
  },
  {
    // For videos, whose init publishes nothing yet.
    title: 'no write-ahead row: the attempt is opened after its init',
    at: {
      'write-ahead': preceded(`const { settleWithRetry } = await import('../attempt/send.js');
        const { readSnapshot } = await import('../attempt/snapshot.js');
        const { submitAttempt: init } = await import('../attempt/submit.js');
        let early = null;
        await app.db
          .transact(async (tx) => {
            early = (await claimDue(app, tx, post)).attempt;
            throw new Error('not yet');
          })
          .catch(() => {});
        const snapshot = early && readSnapshot(early.snapshot);
        if (snapshot?.draft.type === 'video') {
          const outcome = await init(app, early, snapshot);
          const claimed = await app.db.transact((tx) => claimDue(app, tx, post));
          onClaimed();
          if (claimed.kind !== 'claimed') return;
          return void (await (outcome ? settleWithRetry(app, claimed.attempt, outcome) : sendAttempt(app, claimed.attempt)));
        }`),
    },
  },
  { title: 'the addresses of a closed attempt stay alive', at: { 'closed-nonce': removed } },
  { title: 'revoked slides are served', at: { 'revoked-nonce': removed } },
  { title: 'the first fetch is not written down', at: { 'first-fetch': changed('app.clock.now()', 'null') } },
  { title: 'a recovery sends again although slides were fetched', at: { 'fetched-slides': ifOnly('false') } },
  {
    title: 'observing publishes again when the token was too old',
    at: {
      'poll-only': (line) => `(async () => {
        const { mediaOf, readSnapshot } = await import('./snapshot.js');
        const snapshot = readSnapshot(attempt.snapshot);
        query.calls = (query.calls ?? 0) + 1;
        if (query.calls > 1 && snapshot.draft.type === 'slides')
          await connector.submit(token, snapshot.draft, mediaOf(app, snapshot, attempt.nonce), null, signal);
        return ${line.replace(/,$/, '')};
      })(),`,
    },
  },
  {
    title: 'a request carries out the attempt that took the place of its own',
    at: {
      'own-attempt': (line) => `const find = async (id) => {
          const row = await app.db.read.selectFrom('dispatches').selectAll()
            .where('org_id', '=', caller.orgId).where('id', '=', id).executeTakeFirst();
          return row.continued_by ? find(row.continued_by) : row;
        };
        ${line.replace('attempt,', 'await find(attempt.id),')}`,
    },
  },
  {
    title: 'a refusal is believed although slides were fetched',
    caughtBy: 'flows/lying-inits',
    at: { 'fetched-slides': ifOnly((fetched) => `${fetched} && outcome.kind === 'unknown'`) },
  },
  {
    title: 'an init of slides is repeated with the same nonce',
    caughtBy: 'flows/lying-inits',
    at: { 'new-nonce': valued('attempt.nonce') },
  },
  {
    title: 'a nonce is replaced although it was fetched',
    caughtBy: 'flows/lying-inits',
    at: { 'nonce-fetched': removed },
  },
  {
    title: 'a nonce is replaced by a worker that has lost the attempt',
    caughtBy: 'flows/lying-inits',
    at: { 'nonce-fence': anyFence, 'nonce-revoked': removed },
  },
  {
    title: 'a fetch of a replaced address is recorded against the new one',
    caughtBy: 'flows/lying-inits',
    at: { 'fetch-by-nonce': changed("'nonce', '='", "'id', '<>'") },
  },
  {
    title: 'a late acceptance is dropped',
    caughtBy: 'flows/answer-kept',
    at: { 'late-acceptance': changed(/\?\? .*;/, '?? null;') },
  },
  {
    title: 'a process takes over what it is still saving',
    caughtBy: 'flows/answer-kept',
    at: { 'leased-here': replaced('return false;') },
  },
  {
    title: 'an answer that cannot be saved is given up',
    caughtBy: 'flows/answer-kept',
    at: { 'until-saved': valued('true') },
  },
  {
    title: 'publish now is gone on with however late it is',
    caughtBy: 'flows/too-late',
    at: { 'lateness-of-publish-now': changed(/\?\? \w+\([^)]*\)/, '?? now') },
  },
  {
    title: 'the hours of publish now begin again with each attempt',
    caughtBy: 'flows/too-late',
    at: { 'lateness-since-asked': changed('asked_at ?? ', '') },
  },
  {
    title: 'the time is not looked at again before sending',
    caughtBy: 'flows/too-late',
    at: { 'lateness-at-submit': ifOnly('false') },
  },
  {
    title: 'a claim ignores a file that is still being fetched',
    caughtBy: 'flows/whole-posts',
    at: { 'claim-awaits-files': ifOnly('false') },
  },
  {
    title: 'publish now ignores a file that is still being fetched',
    caughtBy: 'flows/whole-posts',
    at: { 'publish-now-awaits-files': ifOnly('false') },
  },
  {
    title: 'an attempt ignores a fetched file that was rejected',
    caughtBy: 'flows/whole-posts',
    at: { 'rejected-file': valued('false') },
  },
  {
    title: 'a rejected file that was fetched is swept',
    caughtBy: 'flows/whole-posts',
    at: { 'rejected-fetched-file': changed("state === 'rejected'", 'false') },
  },
  {
    title: 'new tokens are saved only by the process that still has the renewal lease',
    caughtBy: 'flows/unsaved-tokens',
    at: {
      'token-owner': ifOnly(`!stored || (await tx.selectFrom('social_accounts').select('token_fence')
        .where('id', '=', old.id).executeTakeFirstOrThrow()).token_fence !== fence`),
    },
  },
  {
    title: 'new tokens do not take back that the account must be reconnected',
    caughtBy: 'flows/unsaved-tokens',
    at: { 'undo-reconnect': ifOnly('false') },
  },
  {
    title: 'new tokens that cannot be saved are given up',
    caughtBy: 'flows/unsaved-tokens',
    at: { 'until-saved': valued('ending.aborted || tries > 3') },
  },
  {
    title: 'a file store that is ahead of the database means nothing',
    caughtBy: 'flows/safe-mode',
    at: { 'store-ahead': ifOnly('false') },
  },
  {
    title: 'the note is not raised between the claim and the first call',
    caughtBy: 'flows/safe-mode',
    at: { 'note-before-call': valued('null') },
  },
  {
    title: 'slides are served before the note is raised',
    caughtBy: 'flows/lost-commits',
    at: { 'note-before-slides': valued('null') },
  },
  {
    title: 'bytes of a video leave before the note is raised',
    caughtBy: 'flows/lost-commits',
    at: { 'note-before-bytes': ifOnly('false') },
  },
  {
    title: 'a database that was raised again after a loss is taken for sound',
    caughtBy: '../src/restore-safety/note',
    at: { 'note-tag': valued('false') },
  },
  {
    title: 'an empty database takes over the store of another installation',
    caughtBy: 'flows/unusable-note',
    at: { 'foreign-store': valued('false') },
  },
  {
    title: 'a damaged note counts as another installation’s',
    caughtBy: 'flows/unusable-note',
    at: { 'damaged-note': valued("{ installationId: '', counter: 0, tag: null, notedAt: 0 }") },
  },
  {
    title: 'the claim of a scheduled post does not look for safe mode',
    caughtBy: 'flows/safe-mode',
    at: { 'claim-in-safe-mode': ifOnly('false') },
  },
  {
    title: 'the claim of publish now does not look for safe mode',
    caughtBy: 'flows/safe-mode',
    at: { 'publish-now-in-safe-mode': valued('null') },
  },
  {
    title: 'a claim does not notice that the database has lost changes',
    caughtBy: 'flows/safe-mode',
    at: { 'lost-changes': changed(/ \|\| isBehind\(.*\)/, '') },
  },
  {
    // Either alone is enough, so both are removed.
    title: 'objects are removed in safe mode',
    caughtBy: 'flows/safe-mode-release',
    at: { 'orphans-in-safe-mode': removed, 'removal-in-safe-mode': ifOnly('true') },
  },
  {
    title: 'a draft from the inbox is told as published a second time when its creator posts it',
    caughtBy: 'flows/inbox',
    at: { 'posted-from-inbox': valued('false') },
  },
  {
    title: 'an attempt without an address is asked about for ever',
    caughtBy: 'flows/public-address',
    at: { 'last-address-poll': changed('null', 'now + 3_600_000') },
  },
  {
    title: 'one organization may have all places of a pool',
    caughtBy: 'flows/fair-places',
    at: { 'pool-share': valued('open') },
  },
  { title: 'a submit leaves before it is written down', at: { 'submit-written-ahead': removed } },
  {
    title: 'a submit that can be cleared up begins again with a new memo',
    at: { 'same-memo': replaced('false;') },
  },
  {
    title: 'a platform that can be asked is believed without asking',
    at: { 'ask-platform': ifOnly('false') },
  },
  {
    title: 'a lease of the time before the clock was set back stands',
    caughtBy: 'flows/clock-set-back',
    at: { 'lease-ahead': changed('lease_until is not null', 'false') },
  },
  {
    title: 'a wait of the time before the clock was set back stands',
    caughtBy: 'flows/clock-set-back',
    at: { 'poll-ahead': changed('and (', 'and false and (') },
  },
  {
    title: 'a lease ahead of the clock is taken from a worker that renews it',
    caughtBy: 'flows/clock-set-back',
    at: { 'lease-ahead-renewed': changed('leaseMs', '0') },
  },
];
