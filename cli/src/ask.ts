// Questions on the terminal, and secrets that come by stdin. What cannot be undone is confirmed: on the terminal, or by --yes.
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { usage } from './exit.js';

const MAX_BYTES = 4096;

export const isTerminal = (): boolean => process.stdin.isTTY === true;

export async function ask(question: string, fallback: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await reader.question(`${question} (${fallback}): `)).trim() || fallback;
  } finally {
    reader.close();
  }
}

export interface Confirmed {
  yes?: boolean;
}

/** The option of a command that calls `confirmOrExit`. */
export const withYes = (command: Command): Command =>
  command.option('-y, --yes', 'do not ask for confirmation; required without a terminal');

export async function confirmOrExit(
  question: string | (() => Promise<string>),
  yes: boolean | undefined,
): Promise<void> {
  if (yes) return;
  if (!isTerminal()) throw usage('This cannot be undone: add --yes.');
  const prompt = typeof question === 'string' ? question : await question();
  if (!/^y(es)?$/i.test(await ask(`${prompt} yes or no`, 'no'))) throw usage('Nothing was done.');
}

/** Typed without being shown, or the whole of stdin. */
export async function askSecret(question: string): Promise<string> {
  const secret = isTerminal() ? await typed(question) : await readAll();
  if (secret === '') throw usage('No key was given. Type it when asked, or send it on stdin.');
  if (/\s/.test(secret)) throw usage('A key is one line without spaces.');
  return secret;
}

async function typed(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true });
  // Not before the reader: until it is there, the terminal itself shows what is typed or pasted.
  process.stderr.write(`${question}: `);
  // Ctrl-C goes to the reader here, and not to the process.
  reader.on('SIGINT', () => process.exit(130));
  try {
    return (await reader.question('')).trim();
  } finally {
    reader.close();
    process.stderr.write('\n');
  }
}

async function readAll(): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk) => {
    text += chunk;
    if (text.length > MAX_BYTES) process.stdin.destroy(usage('That is too long for a key.'));
  });
  await once(process.stdin, 'end');
  return text.trim();
}
