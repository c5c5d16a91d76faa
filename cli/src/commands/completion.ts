import { Argument, type Command } from 'commander';
import { bashScript, fishScript, nodesOf, zshScript } from '../completion-scripts.js';
import { action } from '../context.js';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Examples:
  $ airdate completion bash > ~/.local/share/bash-completion/completions/airdate
  $ airdate completion zsh > "\${fpath[1]}/_airdate"
  $ airdate completion fish > ~/.config/fish/completions/airdate.fish`,
    )
    .action(
      action((_context, _options: object, shell: keyof typeof SCRIPTS) => {
        process.stdout.write(SCRIPTS[shell](nodesOf(program)));
      }),
    );
}
