// What a person reads when a command fails.
import { AirdateError } from '@airdate/sdk';
import { Command, CommanderError } from 'commander';
import { howToReconnect } from './account-id.js';
import { runningCommand } from './context.js';
import { EXIT } from './exit.js';
import { flagAt, withFlags } from './flags.js';
import { cell, Output } from './output.js';

export function printError(error: unknown, code: number): void {
  // It has said so itself.
  if (error instanceof CommanderError) return;
  const output = new Output();
  if (code === EXIT.interrupted) return output.warn('Interrupted.');
  for (const line of linesOf(error)) output.warn(redacted(cell(line)));
}

function linesOf(error: unknown): string[] {
  if (!(error instanceof AirdateError)) return [error instanceof Error ? error.message : String(error)];
  const command = runningCommand() ?? new Command();
  const request = error.requestId === undefined ? '' : `, request ${error.requestId}`;
  const wait = error.retryAfter === undefined ? [] : [`Try again in ${Math.ceil(error.retryAfter)} seconds.`];
  const invalid = error.errors.map(
    ({ pointer, message }) => `${flagAt(command, pointer)} ${withFlags(command, message)}`,
  );
  // Its own sentence repeats them all, with the names of the API.
  const [first, ...others] =
    invalid.length > 1
      ? [`The command has ${invalid.length} errors.`, ...invalid.map((line) => `  ${line}`)]
      : invalid.map((line) => `${line}.`);
  const again = error.code === 'reconnect_required' ? [howToReconnect(accountOf(command))] : [];
  return [
    `${first ?? withFlags(command, error.message)} (${error.code}${request})`,
    ...others,
    ...wait,
    ...again,
  ];
}

/** The account that was typed, if one was. */
function accountOf(command: Command): string | undefined {
  const isOfAccounts = command.parent?.name() === 'accounts';
  return isOfAccounts ? command.args[0] : command.opts<{ account?: string }>().account;
}

/** A key that was typed as an argument is not repeated on the screen. */
export const redacted = (text: string): string => text.replace(/\bad_[0-9A-Za-z]{6,}/g, 'ad_…');
