// What is wrong with a file, as it is told: what concerns all of it first and once, then line by line.

import { AppError, type FieldError } from '../../core/problems.js';
import { type ImportProblem, MAX_PROBLEMS } from './schema.js';

/** What is wrong with a cell, or with the same text in many. */
export interface CellProblem extends Partial<Pick<ImportProblem, 'parameter' | 'label' | 'suggestions'>> {
  message: string;
  /** Problems of a column with the same key are told once for the whole file. */
  key?: string;
}

export const short = (text: string) => (text.length <= 60 ? text : `${text.slice(0, 60)}…`);

export class ImportProblems {
  count = 0;
  private readonly ofFile = new Map<string, ImportProblem>();
  private readonly ofLines: ImportProblem[] = [];

  tell(line: number, column: string | null, { key, message, ...more }: CellProblem): void {
    const alike = key === undefined ? undefined : this.ofFile.get(`${column} ${key}`);
    if (alike) {
      alike.lines++;
      return;
    }
    this.count++;
    const problem = { line, column, message, lines: 1, parameter: null, suggestions: [], ...more };
    if (key !== undefined && this.ofFile.size < MAX_PROBLEMS) this.ofFile.set(`${column} ${key}`, problem);
    else if (this.ofLines.length < MAX_PROBLEMS) this.ofLines.push(problem);
  }

  /** The first of them. */
  list(): ImportProblem[] {
    return [...this.ofFile.values(), ...this.ofLines].slice(0, MAX_PROBLEMS);
  }
}

/** How many of the problems an error names; the dry run gives more. */
const MAX_IN_ERROR = 100;

interface Found {
  problems: readonly ImportProblem[];
  problemCount: number;
}

export function assertNoProblems({ problems, problemCount }: Found): void {
  if (problemCount === 0) return;
  const fields: FieldError[] = problems.slice(0, MAX_IN_ERROR).map(({ line, lines, column, message }) => ({
    pointer: '/csv',
    message: `line ${line}${lines > 1 ? ` and ${lines - 1} more` : ''}${column === null ? '' : `, ${column}`}: ${message}`,
  }));
  const listed = problemCount > fields.length ? ` The first ${fields.length} are listed.` : '';
  throw new AppError(
    'validation_failed',
    `The CSV has ${problemCount === 1 ? 'a problem' : `${problemCount} problems`}, so nothing was created.${listed} Correct ${problemCount === 1 ? 'it' : 'them'} and send the file again; with dry_run the problems come by line and column.`,
    { fields },
  );
}
