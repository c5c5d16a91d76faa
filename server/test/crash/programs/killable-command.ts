// A command of the operator in a process that ends itself with kill -9 at a step, given by its number or by how its text begins.
// Without such a step it says how many there were.
//   node killable-command.js <command> <step> <arguments of the command…>
import { backUp, move, restore } from '../../../src/backup-commands.js';
import { readConfig } from '../../../src/config/config.js';

const COMMANDS = { backup: backUp, restore, move };
const [command, step = '', ...args] = process.argv.slice(2) as [keyof typeof COMMANDS, ...string[]];
let steps = 0;
await COMMANDS[command](readConfig(command, process.env), args, {
  say: () => {},
  report(text) {
    if (++steps === Number(step) || text.startsWith(step)) process.kill(process.pid, 'SIGKILL');
  },
});
process.stdout.write(String(steps));
