// Problems of the API name fields. A person who typed a command reads its flags instead.
import type { Command } from 'commander';

/** Fields whose flag or argument has another name. The first that the command has is meant. */
const NAMES = new Map<string, string[]>(
  Object.entries({
    social_account_id: ['--account', '--again', '<name>'],
    privacy_level: ['--privacy'],
    publish_mode: ['--mode'],
    post_type: ['--type'],
    scheduled_at: ['--at'],
    disable_comment: ['--no-comments'],
    disable_duet: ['--no-duet'],
    disable_stitch: ['--no-stitch'],
    brand_content_toggle: ['--brand-content'],
    brand_organic_toggle: ['--brand-organic'],
    labels: ['--label'],
    ids: ['<id>'],
    q: ['--search'],
    needs_attention: ['--attention'],
    per_page: ['--limit'],
    scopes: ['--scope'],
    expires_at: ['--expires'],
    types: ['--type'],
    url: ['<url>'],
    csv: ['<file>'],
    order: ['<file>'],
    object_key: ['<file>'],
    'Idempotency-Key': ['--idempotency-key'],
  }),
);

/** How the command says what the API calls by this name; undefined if it cannot. */
function flagFor(command: Command, field: string): string | undefined {
  const named = [...(NAMES.get(field) ?? []), `--${field.replaceAll('_', '-')}`];
  const known = [
    ...command.options.map(({ long }) => long),
    ...command.registeredArguments.map((argument) => `<${argument.name()}>`),
  ];
  return named.find((name) => known.includes(name));
}

/** Of a JSON pointer: `/labels/1` is the second value of `--label`. */
export function flagAt(command: Command, pointer: string): string {
  const [field = '', index] = pointer.slice(1).split('/');
  const flag = flagFor(command, field) ?? field;
  return Number(index) > 0 ? `${flag} (number ${Number(index) + 1})` : flag;
}

/** A sentence of the API, with flags for the fields that it names. */
export const withFlags = (command: Command, sentence: string): string =>
  sentence.replaceAll(
    /`?\b([a-z]+(?:_[a-z]+)+|replace)(: true)?\b`?/g,
    (found, field: string, isTrue?: string) =>
      field === 'replace' && !isTrue ? found : (flagFor(command, field) ?? found),
  );
