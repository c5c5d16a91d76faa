// Mistakes that could be made in the engine, each as a change of the built program. The sampled sweep has to find them, or
// the test file that a mistake names.

export interface Mutant {
  /** What is wrong with it. */
  title: string;
  /** File, the text that it has exactly once, and its replacement. */
  edits: readonly (readonly [file: string, from: string, to: string])[];
  /** The test that has to fail instead of the sample. */
  caughtBy?: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    title: 'settling is not fenced',
    // Fences only rise, so this admits every worker that ever had a lease.
    edits: [
      [
        'publishing/attempt/lease.js',
        ".where('turn', '=', fence)\n    .forUpdate()",
        ".where('turn', '>=', fence)\n    .forUpdate()",
      ],
    ],
  },
  {
    title: 'renewing a lease is not fenced',
    edits: [
      [
        'publishing/attempt/lease.js',
        ".where('id', '=', id)\n    .where('turn', '=', fence));",
        ".where('id', '=', id)\n    .where('turn', '>=', fence));",
      ],
    ],
  },
  {
    // Either alone protects from most failures, so both are removed.
    title: 'neither taking over nor settling raises the fence',
    edits: [
      ['publishing/attempt/lease.js', "turn: eb('turn', '+', 1), lease_until", 'lease_until'],
      ['publishing/attempt/settle.js', 'turn: dispatch.turn + 1,', 'turn: dispatch.turn,'],
    ],
  },
  {
    title: 'a claim does not look at the status',
    edits: [
      [
        'publishing/attempt/claim.js',
        "    .where('status', 'in', TRANSITIONS.due.from.map((status) => sql.lit(status)))\n",
        '',
      ],
    ],
  },
  {
    title: 'no checkpoint: bytes leave before the publish id is written down',
    edits: [
      [
        'publishing/attempt/send.js',
        'return await settleSurely(app, dispatch, outcome);',
        `if (outcome.upload) {
            const { video } = readSnapshot(dispatch.snapshot);
            const read = (start, end) => app.store.read(video.object_key, { start, end });
            await app.connector(dispatch.platform).sendChunk(outcome.upload, 0, read, AbortSignal.timeout(60_000));
        }
        return await settleSurely(app, dispatch, outcome);`,
      ],
    ],
  },
  {
    title: 'no write-ahead row: the attempt is opened after its init',
    edits: [
      [
        'publishing/schedule/engine.js',
        "import { deliver } from '../attempt/send.js';",
        "import { deliver, settleSurely } from '../attempt/send.js';\nimport { readSnapshot } from '../attempt/snapshot.js';\nimport { submitFirst as init } from '../attempt/submit.js';",
      ],
      [
        'publishing/schedule/engine.js',
        'const claimed = await app.spans.around(CLAIM, () => limited(() => app.db.transact((tx) => claimDue(app, tx, post))));',
        `let early = null;
    await app.db
        .transact(async (tx) => {
            early = (await claimDue(app, tx, post)).dispatch;
            throw new Error('not yet');
        })
        .catch(() => {});
    const snapshot = early && readSnapshot(early.snapshot);
    const outcome = snapshot?.draft.type === 'video' ? await init(app, early, snapshot) : null;
    const claimed = await app.db.transact((tx) => claimDue(app, tx, post));
    if (outcome && claimed.kind === 'claimed')
        return void (await settleSurely(app, claimed.dispatch, outcome));`,
      ],
    ],
  },
  {
    title: 'the addresses of a closed attempt stay alive',
    edits: [['publishing/attempt/closed.js', 'revoked_at: now,', '']],
  },
  {
    title: 'revoked slides are served',
    edits: [['publishing/attempt/slide-server.js', "\n    .where('revoked_at', 'is', null)", '']],
  },
  {
    title: 'the first fetch is not written down',
    edits: [
      [
        'publishing/attempt/slide-server.js',
        'fetched(tx, app.clock.now(), offered',
        'fetched(tx, null, offered',
      ],
    ],
  },
  {
    title: 'a recovery sends again although slides were fetched',
    edits: [['publishing/attempt/decide.js', 'wasFetched(state) && isSetback(outcome)', 'false']],
  },
  {
    title: 'observing publishes again when the token was too old',
    edits: [
      [
        'publishing/attempt/poll.js',
        "import { openUpload } from './sealed.js';",
        "import { openUpload } from './sealed.js';\nimport { mediaOf, readSnapshot } from './snapshot.js';",
      ],
      [
        'publishing/attempt/poll.js',
        'await asAccount(app, { org_id, id }, (token, signal, connector) => connector.observe(token, asked, signal));',
        `await asAccount(app, { org_id, id }, async (token, signal, connector) => {
        const snapshot = readSnapshot(dispatch.snapshot);
        if (calls++ > 0 && snapshot.draft.type === 'slides')
            await connector.submit(token, snapshot.draft, mediaOf(app, snapshot, dispatch.nonce), null, signal);
        return connector.observe(token, asked, signal);
    });`,
      ],
      ['publishing/attempt/poll.js', 'const seen = ', 'let calls = 0;\n    const seen = '],
    ],
  },
  {
    title: 'a request carries out the attempt that took the place of its own',
    edits: [
      [
        'publishing/publish-now.js',
        'await deliverNow(app, dispatch, prepared.creator);',
        `const find = async (id) => {
          const row = await app.db.read.selectFrom('dispatches').selectAll()
            .where('org_id', '=', caller.orgId).where('id', '=', id).executeTakeFirst();
          return row.continued_by ? find(row.continued_by) : row;
        };
        await deliverNow(app, await find(dispatch.id), prepared.creator);`,
      ],
    ],
  },
  {
    title: 'a refusal is believed although slides were fetched',
    caughtBy: 'flows/lying-inits',
    edits: [
      [
        'publishing/attempt/decide.js',
        'wasFetched(state) && isSetback(outcome)',
        "wasFetched(state) && isSetback(outcome) && outcome.kind === 'unknown'",
      ],
    ],
  },
  {
    title: 'an init of slides is repeated with the same nonce',
    caughtBy: 'flows/lying-inits',
    edits: [
      [
        'publishing/attempt/submit.js',
        'const nonce = await replaceNonce(app, dispatch, newNonce());',
        'const { nonce } = dispatch;',
      ],
    ],
  },
  {
    title: 'a nonce is replaced although it was fetched',
    caughtBy: 'flows/lying-inits',
    edits: [['publishing/attempt/lease.js', "\n    .where('fetched_at', 'is', null)", '']],
  },
  {
    title: 'a nonce is replaced by a worker that has lost the attempt',
    caughtBy: 'flows/lying-inits',
    edits: [
      [
        'publishing/attempt/lease.js',
        ".where('turn', '=', fence)\n    .where('fetched_at', 'is', null)\n    .where('revoked_at', 'is', null)",
        ".where('turn', '>=', fence)\n    .where('fetched_at', 'is', null)",
      ],
    ],
  },
  {
    title: 'a fetch of a replaced address is recorded against the new one',
    caughtBy: 'flows/lying-inits',
    edits: [
      ['publishing/attempt/slide-server.js', ".where('nonce', '=', nonce)", ".where('id', '<>', nonce)"],
    ],
  },
  {
    title: 'a late acceptance is dropped',
    caughtBy: 'flows/answer-kept',
    edits: [
      ['publishing/attempt/settle.js', 'isSetback(outcome) ? null : await lockLateAttempt(tx, held)', 'null'],
    ],
  },
  {
    title: 'a process takes over what it is still saving',
    caughtBy: 'flows/answer-kept',
    edits: [['publishing/attempt/lease.js', 'app.perProcess(newLeased).has(id)', 'false']],
  },
  {
    title: 'an answer that cannot be saved is given up',
    caughtBy: 'flows/answer-kept',
    edits: [['publishing/attempt/send.js', 'if (app.background.ending.aborted || ', 'if (app || ']],
  },
  {
    title: 'publish now is gone on with however late it is',
    caughtBy: 'flows/too-late',
    edits: [
      [
        'publishing/attempt/lateness.js',
        '(attempt.scheduled_for ?? askedAt(attempt, snapshot))',
        '(attempt.scheduled_for ?? now)',
      ],
    ],
  },
  {
    title: 'the hours of publish now begin again with each attempt',
    caughtBy: 'flows/too-late',
    edits: [['publishing/attempt/lateness.js', 'asked_at ?? started_at', 'started_at']],
  },
  {
    title: 'the time is not looked at again before sending',
    caughtBy: 'flows/too-late',
    edits: [
      [
        'publishing/attempt/submit.js',
        'if (isTooLate(dispatch, snapshot, policyOf(app)))\n        return TOO_LATE;',
        '',
      ],
    ],
  },
  {
    title: 'a claim ignores a file that is still being fetched',
    caughtBy: 'flows/whole-posts',
    edits: [['publishing/attempt/claim.js', 'if (awaitedFiles(assets))', 'if (false)']],
  },
  {
    title: 'publish now ignores a file that is still being fetched',
    caughtBy: 'flows/whole-posts',
    edits: [['publishing/prepare-publish.js', 'if (awaited)', 'if (false)']],
  },
  {
    title: 'an attempt ignores a fetched file that was rejected',
    caughtBy: 'flows/whole-posts',
    edits: [['publishing/attempt/snapshot.js', "missing?.code === 'media_rejected'", 'false']],
  },
  {
    title: 'a rejected file that was fetched is swept',
    caughtBy: 'flows/whole-posts',
    edits: [
      [
        'assets/sweep.js',
        ".$if(state === 'rejected', (some) => some.where('is_fetched', '=', 0))",
        '.$if(false, (some) => some)',
      ],
    ],
  },
  {
    title: 'new tokens are saved only by the process that still has the renewal lock',
    caughtBy: 'flows/unsaved-tokens',
    edits: [
      [
        'accounts/kept-tokens.js',
        'if (!kept || !isSameToken(app, kept, old))',
        "const { token_turn } = await tx.selectFrom('social_accounts').select('token_turn').where('id', '=', old.id).executeTakeFirstOrThrow(); if (!kept || token_turn !== fence)",
      ],
    ],
  },
  {
    title: 'new tokens do not take back that the account must be reconnected',
    caughtBy: 'flows/unsaved-tokens',
    edits: [['accounts/kept-tokens.js', "if (saved.status === 'reconnect_required')", 'if (false)']],
  },
  {
    title: 'new tokens that cannot be saved are given up',
    caughtBy: 'flows/unsaved-tokens',
    edits: [
      [
        'accounts/unsaved-grants.js',
        'const isLast = ending.aborted;',
        'const isLast = ending.aborted || tries > 3;',
      ],
    ],
  },
  {
    title: 'a file store that is ahead of the database means nothing',
    caughtBy: 'flows/safe-mode',
    edits: [['safety/note.js', 'if (store.counter > database.counter)', 'if (false)']],
  },
  {
    title: 'the note is not raised between the claim and the first call',
    caughtBy: 'flows/safe-mode',
    edits: [['publishing/attempt/send.js', 'await app.safety.confirm()', 'null']],
  },
  {
    title: 'slides are served before the note is raised',
    caughtBy: 'flows/lost-commits',
    edits: [['publishing/attempt/slide-server.js', 'await app.safety.confirm()', 'null']],
  },
  {
    title: 'bytes of a video leave before the note is raised',
    caughtBy: 'flows/lost-commits',
    edits: [['publishing/attempt/upload.js', 'await app.safety.confirm()', 'false']],
  },
  {
    title: 'a database that was raised again after a loss is taken for sound',
    caughtBy: '../src/safety/note',
    edits: [['safety/note.js', 'own !== null && tag !== null && own !== tag', 'false']],
  },
  {
    title: 'an empty database takes over the store of another installation',
    caughtBy: 'flows/unusable-note',
    edits: [['safety/comparison.js', 'isForeign && !hasOrganizations', 'false']],
  },
  {
    title: 'a damaged note counts as another installation’s',
    caughtBy: 'flows/unusable-note',
    edits: [
      [
        'safety/note.js',
        "return 'damaged';\n    }\n}",
        "return { installationId: '', counter: 0, tag: null, notedAt: 0 };\n    }\n}",
      ],
    ],
  },
  {
    title: 'the claim of a scheduled post does not look for safe mode',
    caughtBy: 'flows/safe-mode',
    edits: [['publishing/attempt/claim.js', 'if (await app.safety.refusal(tx))', 'if (false)']],
  },
  {
    title: 'the claim of publish now does not look for safe mode',
    caughtBy: 'flows/safe-mode',
    edits: [['publishing/publish-now.js', 'await app.safety.refusal(tx)', 'null']],
  },
  {
    title: 'a claim does not notice that the database has lost changes',
    caughtBy: 'flows/safe-mode',
    edits: [['safety/guard.js', 'isBehind(row, remembered)', 'false']],
  },
  {
    // Either alone is enough, so both are removed.
    title: 'objects are removed in safe mode',
    caughtBy: 'flows/safe-mode-release',
    edits: [
      [
        'files/garbage.js',
        "export async function removeOrphans(app) {\n    if (app.safety.mode.kind !== 'normal')\n        return;",
        'export async function removeOrphans(app) {',
      ],
      [
        'safety/safety.js',
        "if (safety.mode.kind === 'normal')\n            await store.remove(key);",
        'await store.remove(key);',
      ],
    ],
  },
  {
    title: 'a draft from the inbox is told as published a second time when its creator posts it',
    caughtBy: 'flows/inbox',
    edits: [
      ['publishing/attempt/events.js', "before.outcome === 'in_inbox' && outcome === 'published'", 'false'],
    ],
  },
  {
    title: 'an attempt without an address is asked about for ever',
    caughtBy: 'flows/public-address',
    edits: [
      [
        'publishing/attempt/public-address.js',
        'after === undefined ? null :',
        'after === undefined ? now + 3_600_000 :',
      ],
    ],
  },
  {
    title: 'one organization may have all places of a pool',
    caughtBy: 'flows/fair-places',
    edits: [
      [
        'publishing/schedule/pool.js',
        'Math.min(freeFor(orgId), room.perOrganization - heldBy(orgId))',
        'freeFor(orgId)',
      ],
    ],
  },
  {
    title: 'a submit leaves before it is written down',
    edits: [
      [
        'publishing/attempt/submit.js',
        'if (!(await beginSubmit(app, dispatch, prepared.memo)))\n            return NOT_OWNER;',
        'void beginSubmit;',
      ],
    ],
  },
  {
    title: 'a submit that can be cleared up begins again with a new memo',
    edits: [
      [
        'publishing/attempt/decide.js',
        "phase === 'sending' && snapshot.lost !== 'revoke' && sent_at !== null",
        'false',
      ],
    ],
  },
  {
    title: 'a platform that can be asked is believed without asking',
    edits: [['publishing/attempt/submit.js', "lost === 'ask' && isSetback(outcome)", 'false']],
  },
  {
    title: 'a lease of the time before the clock was set back stands',
    caughtBy: 'flows/clock-set-back',
    edits: [['publishing/attempt/lease.js', 'lease_until is not null and next_at >', 'false and next_at >']],
  },
  {
    title: 'a wait of the time before the clock was set back stands',
    caughtBy: 'flows/clock-set-back',
    edits: [['publishing/attempt/lease.js', "and outcome <> 'published' and (", 'and false and (']],
  },
  {
    title: 'a lease ahead of the clock is taken from a worker that renews it',
    caughtBy: 'flows/clock-set-back',
    edits: [['publishing/attempt/lease.js', 'standsMs: leaseMs', 'standsMs: 0']],
  },
];
