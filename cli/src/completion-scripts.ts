// Scripts for shells, made from the tree of commands, so that they know every command and option.
import type { Command } from 'commander';

/** One command: what can follow it. */
export interface Node {
  /** The words before it, for example `posts create`; empty for the program itself. */
  path: string;
  /** Subcommands, and values of its arguments. */
  commands: { name: string; description: string }[];
  options: { flags: string[]; description: string; choices: readonly string[] }[];
}

export function nodesOf(program: Command): Node[] {
  const globals = optionsOf(program);
  const visit = (command: Command, path: string): Node[] => [
    {
      path,
      commands: [
        ...command.commands.map((sub) => ({ name: sub.name(), description: sub.description() })),
        ...valuesOf(command),
      ],
      options: [...(command === program ? [] : optionsOf(command)), ...globals],
    },
    ...command.commands.flatMap((sub) => visit(sub, `${path} ${sub.name()}`.trim())),
  ];
  return visit(program, '');
}

const optionsOf = (command: Command): Node['options'] =>
  command.options.map(({ short, long, description, argChoices }) => ({
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    choices: argChoices ?? [],
  }));

const valuesOf = (command: Command): Node['commands'] =>
  command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((name) => ({ name, description })),
  );

const wordsOf = ({ commands, options }: Node): string =>
  [...commands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)].join(' ');

const choicesOf = ({ path, options }: Node): [pattern: string, words: string][] =>
  options
    .filter(({ choices }) => choices.length > 0)
    .flatMap(({ flags, choices }) =>
      flags.map((flag) => [`'${path} ${flag}'`, choices.join(' ')] as [string, string]),
    );

/** Words that are no command, such as ids, do not change which command it is. */
export const bashScript = (nodes: Node[]): string => `# Completion of airdate for bash.
_airdate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" path='' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "\${path:+$path }$word" in
${nodes
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      '${path}') path='${path}' ;;`)
  .join('\n')}
    esac
  done
  local words=''
  case "$path $previous" in
${nodes
  .flatMap(choicesOf)
  .map(([pattern, words]) => `    ${pattern}) COMPREPLY=($(compgen -W '${words}' -- "$current")); return ;;`)
  .join('\n')}
  esac
  case "$path" in
${nodes.map((node) => `    '${node.path}') words='${wordsOf(node)}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _airdate airdate
`;

export const zshScript = (nodes: Node[]): string => `#compdef airdate
# Completion of airdate for zsh.
_airdate() {
  local current_path='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${current_path:+$current_path }$word" in
${nodes
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      '${path}') current_path='${path}' ;;`)
  .join('\n')}
    esac
  done
  case "$current_path $words[CURRENT - 1]" in
${nodes
  .flatMap(choicesOf)
  .map(([pattern, words]) => `    ${pattern}) compadd -- ${words}; return ;;`)
  .join('\n')}
  esac
  local -a entries
  case "$current_path" in
${nodes.map((node) => `    '${node.path}') entries=(${zshEntries(node)}) ;;`).join('\n')}
  esac
  _describe 'airdate' entries
  _files
}
if [ "$funcstack[1]" = "_airdate" ]; then
  _airdate "$@"
else
  compdef _airdate airdate
fi
`;

const zshEntries = ({ commands, options }: Node): string =>
  [
    ...commands.map(({ name, description }) => `${name}:${description}`),
    ...options.flatMap(({ flags, description }) => flags.map((flag) => `${flag}:${description}`)),
  ]
    .map(quoted)
    .join(' ');

export const fishScript = (nodes: Node[]): string => `# Completion of airdate for fish.
function __airdate_path
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l next (string trim "$path $word")
    switch $next
      case ${nodes
        .filter(({ path }) => path !== '')
        .map(({ path }) => quoted(path))
        .join(' ')}
        set path $next
    end
  end
  echo $path
end
${nodes.map(fishLines).join('\n')}
`;

function fishLines({ path, commands, options }: Node): string {
  const condition = `-n 'test "$(__airdate_path)" = "${path}"'`;
  return [
    ...commands.map(
      ({ name, description }) => `complete -c airdate ${condition} -f -a ${name} -d ${quoted(description)}`,
    ),
    ...options.map(({ flags, description, choices }) => {
      const names = flags.map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const values = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : '';
      return `complete -c airdate ${condition} ${names.join(' ')}${values} -d ${quoted(description)}`;
    }),
  ].join('\n');
}

/** For all three shells: no quotation mark is left inside. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`;
