// What cannot be undone is confirmed: on the terminal, or by --yes.
import { ask, isTerminal } from './ask.js';
import { usage } from './exit.js';

export async function confirmOrExit(question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  if (!isTerminal()) throw usage('This cannot be undone: add --yes.');
  if (!/^y(es)?$/i.test(await ask(`${question} yes or no`, 'no'))) throw usage('Nothing was done.');
}
