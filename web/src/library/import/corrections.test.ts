import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { choicesFor, correctionsOf, messageFor } from './corrections.js';
import { linesWith } from './csv.js';
import type { Problem } from './Questions.js';
import { withApiValues } from './values.js';

const NO_ACCOUNT = 'is not the user name of a connected account of your organization';
const problem = (
  line: number,
  column: string | null,
  message: string,
  more: Partial<Problem> = {},
): Problem => ({
  ...{ line, lines: 1, column, message, parameter: null, suggestions: [] },
  ...more,
});

describe('what is corrected in a CSV file', () => {
  it('is one thing for all lines that say the same, and one each for what they lack', () => {
    const table = [['title', 'account'], ['A', 'ghost'], ['', 'other'], ['B', ' ghost'], [''], ['', 'ghost']];
    const found = [
      problem(2, 'account', NO_ACCOUNT),
      problem(3, 'title', 'is required'),
      problem(3, 'account', NO_ACCOUNT),
      problem(4, 'account', NO_ACCOUNT),
      problem(6, 'title', 'is required'),
    ];
    assert.deepEqual(
      correctionsOf(found, table).map(({ lines, count, problem: { column } }) => [column, lines, count]),
      [
        // Line 6 is not among the listed problems, and has it too.
        ['account', [2, 4, 6], 3],
        ['title', [3], 1],
        ['account', [3], 1],
        ['title', [6], 1],
      ],
    );
    assert.deepEqual(linesWith(table, 'labels', ''), []);
  });

  it('leaves other lines with the same time alone: theirs may be right', () => {
    const table = [
      ['title', 'scheduled_at', 'status'],
      ['A', '2020-01-01', 'scheduled'],
      ['B', '2020-01-01', ''],
    ];
    const early = problem(2, 'scheduled_at', 'must be at least 5 minutes from now');
    assert.deepEqual(
      correctionsOf([early], table).map(({ lines }) => lines),
      [[2]],
    );
  });

  it('is chosen among connected accounts that their user name tells apart', () => {
    const account = (id: string, username: string, status = 'connected') => ({
      ...{ id, username, status },
      display_name: null,
    });
    const accounts = [
      account('1', 'a'),
      account('2', 'twin'),
      account('3', 'Twin'),
      account('4', 'b', 'revoked'),
    ];
    const values = (column: string) =>
      choicesFor(problem(2, column, NO_ACCOUNT), accounts).map(({ value }) => value);
    assert.deepEqual([values('account'), values('social_account_id')], [['a'], ['1', '2', '3']]);
  });

  it('has the words of the publish sheet', () => {
    const suggestions = ['PUBLIC_TO_EVERYONE', 'SELF_ONLY'];
    const audience = problem(2, 'privacy_level', 'must be one of PUBLIC_TO_EVERYONE, SELF_ONLY', {
      suggestions,
    });
    assert.equal(messageFor(audience), 'must be one of Everyone, Only me');
    assert.deepEqual(
      choicesFor(audience, []).map(({ label }) => label),
      ['Everyone', 'Only me'],
    );
    const toggle = problem(2, 'disable_duet', 'must be true or false');
    assert.deepEqual(
      choicesFor(toggle, []).map(({ value, label }) => `${value} ${label}`),
      ['true Yes', 'false No'],
    );
    assert.equal(messageFor(problem(2, 'title', 'is required')), 'is required');
    assert.equal(
      messageFor(problem(1, 'owner', 'is an unknown column. The columns are title, caption')),
      'is an unknown column. Choose what it is, or leave it out.',
    );
  });

  it('is nothing where a cell says what the dashboard shows, in any case', () => {
    const header = ['title', ' Privacy_Level ', 'status', 'disable_comment'];
    const asRead = ['Draft', 'SELF_ONLY', 'scheduled', 'true'];
    assert.deepEqual(withApiValues([header, ['Draft', 'only me ', 'Scheduled', 'Yes'], [''], ['A', 'x']]), [
      header,
      asRead,
      [''],
      ['A', 'x'],
    ]);
    const right = [header, asRead, ['', ' PUBLIC_TO_EVERYONE ', '', 'maybe']];
    assert.equal(withApiValues(right), right);
  });
});
