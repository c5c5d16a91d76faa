// What every command gets: the client, the output, and the signal of Ctrl-C.
import type { Airdate } from '@airdate/sdk';
import type { Command } from 'commander';
import { clientOf, type Globals, targetOf } from './connection.js';
import { Output } from './output.js';

export class Context {
  readonly globals: Globals;
  readonly output: Output;
  readonly signal: AbortSignal;
  #airdate: Airdate | undefined;
  #operator: Airdate | undefined;

  constructor(globals: Globals, signal: AbortSignal) {
    this.globals = globals;
    this.output = new Output(globals);
    this.signal = signal;
  }

  /** Made when it is needed: some commands work without a key. */
  get airdate(): Airdate {
    this.#airdate ??= clientOf(targetOf(this.globals));
    return this.#airdate;
  }

  get operator(): Airdate {
    this.#operator ??= clientOf(targetOf(this.globals, 'adminToken'));
    return this.#operator;
  }
}

const interrupt = new AbortController();
export const interrupted: AbortSignal = interrupt.signal;

/** The first Ctrl-C ends the command in order, the second one immediately. */
export function listenForInterrupt(): void {
  process.on('SIGINT', () => {
    if (interrupted.aborted) process.exit(130);
    interrupt.abort(new Error('Interrupted.'));
  });
}

let running: Command | undefined;

/** The command that was given, once it runs. */
export const runningCommand = (): Command | undefined => running;

/** The action of a command: its arguments come after the context and the options. */
export const action =
  <Options, Arguments extends unknown[]>(
    run: (context: Context, options: Options, ...args: Arguments) => Promise<void> | void,
  ) =>
  async (...all: unknown[]): Promise<void> => {
    const command = all.pop() as Command;
    running = command;
    const options = all.pop() as Options;
    const context = new Context(command.optsWithGlobals<Globals>(), interrupted);
    await run(context, options, ...(all as Arguments));
  };
