// The tree of commands. Each group has its file.
import { readFileSync } from 'node:fs';
import { Command, type ParseOptionsResult } from 'commander';
import { closest } from './closest.js';
import { addAccounts } from './commands/accounts.js';
import { addAdmin } from './commands/admin.js';
import { addAnalytics } from './commands/analytics.js';
import { addCompletion } from './commands/completion.js';
import { addDispatches } from './commands/dispatches.js';
import { addEvents } from './commands/events.js';
import { addFiles } from './commands/files.js';
import { addExport, addImport } from './commands/import-export.js';
import { addKeys } from './commands/keys.js';
import { addLabels } from './commands/labels.js';
import { addListen } from './commands/listen.js';
import { addLogin } from './commands/login.js';
import { addMcp } from './commands/mcp.js';
import { addPosts } from './commands/posts.js';
import { addPublishing } from './commands/publishing.js';
import { addUpload } from './commands/upload.js';
import { addWebhooks } from './commands/webhooks.js';
import { EXIT_CODES } from './exit.js';
import { redacted } from './failure.js';

const ENVIRONMENT = `Environment:
  AIRDATE_URL, AIRDATE_API_KEY  instead of a profile
  AIRDATE_ADMIN_TOKEN           for \`airdate admin\`
  AIRDATE_PROFILE               the profile to use
  NO_COLOR                      no colors

Keys are never arguments: other users of the machine could see them.`;

/** Names an option with a typo before a required one that is missing: often they are the same. */
class TypoFirstCommand extends Command {
  override createCommand(name?: string): Command {
    return new TypoFirstCommand(name);
  }

  override parseOptions(argv: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(argv);
    // The next check refuses the unknown one, with the nearest that there is.
    if (parsed.unknown.length > 0) for (const option of this.options) option.makeOptionMandatory(false);
    return parsed;
  }
}

export function createProgram(): Command {
  const program = new TypoFirstCommand('airdate')
    .description('Write posts, publish them now or on schedule, and know what became of each.')
    .version(version(), '-V, --version')
    .option('--profile <name>', 'the profile to use')
    .option('--url <url>', 'the URL of the service')
    .option('--json', 'print JSON lines, even on a terminal')
    .option('-q, --quiet', 'print only data and errors')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(redacted(explained(text, program))) })
    .showHelpAfterError('Add --help to see the usage.')
    .exitOverride()
    .addHelpText('after', `\n${ENVIRONMENT}\n\n${EXIT_CODES}`);
  addLogin(program);
  const posts = addPosts(program);
  addPublishing(posts);
  addUpload(program);
  addFiles(program);
  addAccounts(program);
  addLabels(program);
  addKeys(program);
  addWebhooks(program);
  addDispatches(program);
  addAnalytics(program);
  addEvents(program);
  addListen(program);
  addImport(program);
  addExport(program);
  addAdmin(program);
  addMcp(program);
  addCompletion(program);
  return program;
}

/** What commander cannot know about a command that does not exist. */
function explained(error: string, program: Command): string {
  const [group, wrong = ''] = program.args;
  if (/^error: too many arguments for 'list'\. Expected 0/.test(error)) {
    // `list` is what a group does without a command, and would be blamed for `airdate webhooks get`.
    const names = program.commands.find((one) => one.name() === group)?.commands.map((one) => one.name());
    if (names === undefined || names.includes(wrong)) return error;
    const meant = closest(wrong, names);
    return `error: unknown command '${wrong}'\n${didYouMean(meant === undefined ? [] : [meant])}`;
  }
  // `airdate publish`, without its group.
  if (error !== `error: unknown command '${group}'\n`) return error;
  const groups = program.commands.filter(({ commands }) => commands.some((one) => one.name() === group));
  return error + didYouMean(groups.map((one) => `${one.name()} ${group}`));
}

const didYouMean = (meant: readonly string[]): string =>
  meant.length === 0 ? '' : `(Did you mean ${meant.length === 1 ? '' : 'one of '}${meant.join(', ')}?)\n`;

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
