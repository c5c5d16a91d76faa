// The reference of the command line: a section for each command, with the help that the command itself prints.
import { profilesFile } from 'airdate/dist/profiles.js';
import { createProgram } from 'airdate/dist/program.js';
import type { Page } from './contents.js';
import { anchorOf } from './markdown.js';

type Command = ReturnType<typeof createProgram>;

/** As wide as help is when another program reads it. */
const WIDTH = 80;

const childrenOf = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');

function nameOf(command: Command): string {
  const { parent } = command;
  return parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

function helpOf(command: Command): string {
  let help = '';
  const writeOut = (text: string) => {
    help += text;
  };
  command.configureOutput({ writeOut, getOutHelpWidth: () => WIDTH }).outputHelp();
  // Where it is depends on the computer.
  const shown = help.replaceAll(profilesFile(), '~/.config/airdate/config.json');
  // What every command takes is said once, at the top.
  return shown.replace(/^Global Options:\n(?: .*\n)+\n?/m, '').trim();
}

const withChildren = (command: Command): Command[] => [command, ...childrenOf(command).flatMap(withChildren)];

export function commandsPage(group: string): Page {
  const program = createProgram();
  const commands = childrenOf(program).flatMap(withChildren);
  const rows = commands.map((command) => {
    const name = nameOf(command);
    return `| [\`${name}\`](#${anchorOf(name)}) | ${command.description().replaceAll('|', '\\|')} |`;
  });
  const section = (command: Command) => `## ${nameOf(command)}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``;
  return {
    slug: 'commands',
    title: 'Command reference',
    summary: 'Every command of the command line, with its options and examples.',
    group,
    markdown: [
      'Every command of the [command line](/docs/cli), with its options and examples, as `--help` prints them. Each also takes the options `--profile`, `--url`, `--json` and `--quiet` of `airdate` itself.',
      ['| Command | What it does |\n|---|---|', ...rows].join('\n'),
      ...[program, ...commands].map(section),
    ].join('\n\n'),
  };
}
