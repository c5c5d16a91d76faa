#!/usr/bin/env node
import { interrupted, listenForInterrupt } from './context.js';
import { EXIT, exitCodeOf } from './exit.js';
import { printError } from './failure.js';
import { createProgram } from './program.js';

// A reader such as `head` may have seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failure);
});
listenForInterrupt();
try {
  await createProgram().parseAsync();
} catch (error) {
  const code = interrupted.aborted ? EXIT.interrupted : exitCodeOf(error);
  printError(error, code);
  process.exitCode = code;
}
// An upload or a stream that was cut off may still keep the process alive.
if (process.exitCode !== undefined || interrupted.aborted) {
  const code = interrupted.aborted ? EXIT.interrupted : process.exitCode;
  process.stdout.write('', () => process.exit(code));
}
