import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AirdateError, type CreatorOptions, type PostProblem } from '@airdate/sdk/core';
import { exampleAccount, examplePost, exampleProblem } from '../../test/example-post.js';
import type { PublishForm } from './form.js';
import { mustNotResend, type SheetFacts, type SheetState, sheetState } from './sheet-state.js';

const NOW = Date.parse('2026-11-15T12:10:00Z');
const MINUTE = 60_000;

const form: PublishForm = {
  when: 'now',
  wall: '',
  isSecondOccurrence: false,
  accountId: 'a',
  mode: 'direct',
  privacy: 'PUBLIC_TO_EVERYONE',
  allowComment: false,
  allowDuet: false,
  allowStitch: false,
  isCommercial: false,
  isOwnBrand: false,
  isBranded: false,
};

const idle = { status: 'idle', error: null } as const;
const pending = { status: 'pending', error: null } as const;
const success = { status: 'success', error: null } as const;
const refused = (code: AirdateError['code']) =>
  ({ status: 'error', error: new AirdateError('No.', code) }) as const;
const failed = (code: AirdateError['code']) => ({ isError: true, error: refused(code).error }) as const;
const preflight = (...problems: PostProblem[]) => ({ ready: false, problems, account: null, request: {} });

/** Everything is chosen, and the post can be published. */
const ready: SheetFacts = {
  post: examplePost(),
  form,
  account: exampleAccount('a'),
  creator: {
    data: { privacy_level_options: ['PUBLIC_TO_EVERYONE'] } as CreatorOptions,
    isError: false,
    error: null,
  },
  publish: idle,
  schedule: idle,
  preflight: preflight(),
  assets: undefined,
  failure: null,
  isSafeMode: false,
  moment: null,
  now: NOW,
  leadMs: 5 * MINUTE,
};
const forLater = { form: { ...form, when: 'schedule' as const }, moment: NOW + 60 * MINUTE };
const forInbox = { form: { ...form, mode: 'inbox' as const, privacy: null } };
const noMedia = exampleProblem('no_media', 'Add the video.');
const unsolved = { code: 'spam_risk_text', message: 'Spam.', at: null, isOpen: true };

interface Shown extends Pick<SheetState, 'phase'> {
  /** The code of each problem in the list. */
  problems: string[];
  /** Why the button cannot be pressed, and the field that says so; null if it can. */
  obstacle: [reason: string, field?: string] | null;
  isAccountUnusable: boolean;
}

const nothingWrong: Shown = { phase: 'choosing', problems: [], obstacle: null, isAccountUnusable: false };
const fixAbove = (field: string): [string, string] => ['Fix the problem above first.', field];
const lostAccount = { obstacle: fixAbove('account'), isAccountUnusable: true };

const CASES: [title: string, facts: Partial<SheetFacts>, shown: Partial<Shown>][] = [
  ['everything is chosen', {}, {}],
  ['a time is chosen', forLater, {}],

  ['the request is on its way', { publish: pending }, { phase: 'sending' }],
  ['the slot is on its way', { ...forLater, schedule: pending }, { phase: 'sending' }],
  [
    'preflight finds the running attempt',
    { publish: pending, preflight: preflight(noMedia) },
    { phase: 'sending' },
  ],
  ['it was accepted', { publish: success, post: examplePost({ status: 'publishing' }) }, { phase: 'sent' }],
  ['it was scheduled', { ...forLater, schedule: success }, { phase: 'sent' }],
  ['another member published it', { post: examplePost({ status: 'publishing' }) }, { phase: 'sent-already' }],
  ['it is live', { post: examplePost({ status: 'posted' }) }, { phase: 'sent-already' }],
  ['the platform gave no answer', { publish: refused('platform_timeout') }, { phase: 'unknown' }],
  [
    'the platform gave no answer, and the post is under way',
    { publish: refused('platform_timeout'), post: examplePost({ status: 'publishing' }) },
    { phase: 'unknown' },
  ],
  [
    'the platform gave no answer, and a time is chosen instead',
    { ...forLater, publish: refused('platform_timeout') },
    { phase: 'unknown' },
  ],
  ['a scheduled post is published now', { post: examplePost({ status: 'scheduled' }) }, {}],

  [
    'no account is chosen',
    { form: { ...form, accountId: null }, account: undefined },
    { obstacle: ['Choose an account.', 'account'] },
  ],
  ['the account was disconnected', { account: undefined }, lostAccount],
  ['the account must be reconnected', { account: { status: 'reconnect_required' } }, lostAccount],
  ['the platform says so when asked for its options', { creator: failed('reconnect_required') }, lostAccount],
  [
    'the platform says so when the button is pressed',
    { publish: refused('reconnect_required') },
    lostAccount,
  ],
  ['it said so of another way to send it', { ...forLater, publish: refused('reconnect_required') }, {}],
  [
    'the options of the account cannot be read',
    { creator: failed('unavailable') },
    { obstacle: fixAbove('account') },
  ],
  [
    'they cannot be read in safe mode',
    { creator: failed('safe_mode'), isSafeMode: true },
    { obstacle: ['Safe mode is on: you can’t publish or schedule right now.'] },
  ],
  ['the inbox needs no options', { ...forInbox, creator: failed('unavailable') }, {}],
  [
    'the options are not there yet',
    { creator: { data: undefined, isError: false, error: null } },
    { obstacle: ['Loading the account’s options…'] },
  ],
  [
    'no audience is chosen',
    { form: { ...form, privacy: null } },
    { obstacle: ['Choose who can see the post.', 'audience'] },
  ],

  [
    'a file is missing',
    { preflight: preflight(noMedia) },
    { problems: ['no_media'], obstacle: fixAbove('problems') },
  ],
  // It can be added until then.
  ['a file is missing for later', { ...forLater, preflight: preflight(noMedia) }, { problems: ['no_media'] }],
  ['the last attempt failed', { failure: unsolved }, { problems: ['spam_risk_text'] }],
  // What has just been refused is said at the button.
  ['this attempt was refused too', { failure: unsolved, publish: refused('platform_refused') }, {}],

  ['no time is chosen', { ...forLater, moment: null }, { obstacle: ['Choose a date and time.', 'time'] }],
  [
    'the time is too near',
    { ...forLater, moment: NOW + 4 * MINUTE },
    { obstacle: ['Choose a later time.', 'time'] },
  ],
];

describe('the sheet', () => {
  for (const [title, facts, expected] of CASES)
    it(`knows what to show when ${title}`, () => {
      const { phase, problems, obstacle, isAccountUnusable } = sheetState({ ...ready, ...facts });
      const shown: Shown = {
        phase,
        problems: problems.map(({ code }) => code),
        obstacle: obstacle && (obstacle.field ? [obstacle.reason, obstacle.field] : [obstacle.reason]),
        isAccountUnusable,
      };
      assert.deepEqual(shown, { ...nothingWrong, ...expected });
    });

  it('offers no second try where the platform has the post, or may have it', () => {
    assert.deepEqual(
      (['choosing', 'sending', 'sent', 'sent-already', 'unknown'] as const).filter(mustNotResend),
      ['sent-already', 'unknown'],
    );
  });
});
