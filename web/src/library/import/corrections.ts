// What is corrected together, and with what: the lines of one problem, and the values that a cell can have.
import { groupBy } from '../../text/group-by.js';
import { cellAt, linesLacking, linesWith, type Table } from './csv.js';
import type { Problem } from './Questions.js';
import { labelFor } from './values.js';

export interface Correction {
  problem: Problem;
  /** The lines whose cell gets what is chosen. */
  lines: readonly number[];
  /** How many of the problems of the file it corrects. */
  count: number;
}

/** Lines that say the same in the same column have one problem. What they lack, each may lack for another reason. */
export function correctionsOf(problems: readonly Problem[], table: Table): Correction[] {
  const groups = groupBy(problems, (problem) => {
    const { line, lines, column, message } = problem;
    const cell = column === null || line === 1 || lines > 1 ? '' : cellAt(table, line, column).trim();
    return cell === '' ? JSON.stringify(problem) : JSON.stringify([column, cell, message]);
  });
  return [...groups.values()].flatMap((group) => {
    const [problem] = group;
    return problem ? [correctionOf(problem, group, table)] : [];
  });
}

function correctionOf(problem: Problem, group: readonly Problem[], table: Table): Correction {
  const { line, lines, column } = problem;
  if (column === null || line === 1) return { problem, lines: [line], count: group.length };
  const cell = cellAt(table, line, column);
  // Told once. They are found now: once corrected, they lack it no more.
  if (lines > 1 && cell.trim() === '') return { problem, lines: linesLacking(table, column), count: 1 };
  // In lines that are not listed, too.
  const alike = isAlwaysWrong(problem) && cell.trim() !== '' ? linesWith(table, column, cell) : [];
  const all = alike.length > 0 ? alike : group.map((one) => one.line);
  return { problem, lines: all, count: all.length };
}

/** What can be chosen for a cell, in the words of the publish sheet. Empty: it is written. */
export interface Choice {
  value: string;
  label: string;
}

interface Account {
  id: string;
  username: string;
  display_name: string | null;
  status: string;
}

const YES_OR_NO = 'must be true or false';
const ONE_OF = /^must be one of /;

const TWICE = 'cannot be used together with social_account_id';

/** Whatever else its line says. A time, for instance, may be too early only for a scheduled post. */
const isAlwaysWrong = (problem: Problem): boolean =>
  namesAccount(problem) || problem.message === YES_OR_NO || ONE_OF.test(problem.message);

const namesAccount = ({ column, message }: Problem): boolean =>
  (column === 'account' || column === 'social_account_id') && message !== TWICE;

export function choicesFor(problem: Problem, accounts: readonly Account[]): Choice[] {
  const { column, message, suggestions } = problem;
  if (namesAccount(problem)) return accountChoices(column === 'account', accounts);
  if (message === YES_OR_NO) return ['true', 'false'].map(choiceIn(column));
  return ONE_OF.test(message) || column === 'privacy_level' ? suggestions.map(choiceIn(column)) : [];
}

/** Several accounts may have one user name: then only an id tells them apart. */
function accountChoices(isByName: boolean, accounts: readonly Account[]): Choice[] {
  const uses = groupBy(accounts, ({ username }) => username.toLowerCase());
  const isUnambiguous = ({ username }: Account) =>
    !isByName || uses.get(username.toLowerCase())?.length === 1;
  return accounts
    .filter((account) => account.status === 'connected' && isUnambiguous(account))
    .map(({ id, username, display_name }) => ({
      value: isByName ? username : id,
      label: `${display_name ?? username} (@${username})`,
    }));
}

const choiceIn =
  (column: string | null) =>
  (value: string): Choice => ({ value, label: labelFor(column, value) });

/** What the API says of a cell, without names of the API: "must be one of Everyone, Friends". */
export function messageFor({ column, message, suggestions }: Problem): string {
  if (message === YES_OR_NO) return 'must be Yes or No';
  if (ONE_OF.test(message) && suggestions.length > 0)
    return `must be one of ${suggestions.map((value) => labelFor(column, value)).join(', ')}`;
  return MESSAGES[message] ?? message.replace(ALL_COLUMNS, ' Choose what it is, or leave it out.');
}

/** The dashboard lists them to choose from. */
const ALL_COLUMNS = / The columns are .*$/s;

const MESSAGES: Readonly<Record<string, string>> = {
  'is not the user name of a connected account of your organization':
    'No connected account has this user name.',
  'is not a connected account of your organization': 'No connected account has this id.',
  'names several accounts; use social_account_id':
    'Several connected accounts have this user name. Choose another, or name it by its id in the column social_account_id.',
  [TWICE]: 'The line names its account twice. Leave this or social_account_id empty.',
  'cannot be SELF_ONLY for branded content': 'Branded content can’t be visible to only you.',
  'must be a date and time such as 2030-12-01 18:00 or 2030-12-01T18:00:00Z':
    'must be a date and time such as 2030-12-01 18:00',
  'is only for posts of the type slides; use cover_ms': 'is only for slides. A video has cover_ms instead',
  'is only for posts of the type video; use cover_index':
    'is only for a video. Slides have cover_index instead',
};
