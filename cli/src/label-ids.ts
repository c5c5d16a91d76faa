// Labels by name, as people know them.
import type { Label } from '@airdate/sdk';
import { isId } from './account-id.js';
import type { Context } from './context.js';
import { EXIT, ExitError } from './exit.js';
import { shellWord } from './output.js';

export async function resolveLabelIds(
  { airdate, signal }: Context,
  namesOrIds: readonly string[],
): Promise<string[]> {
  if (namesOrIds.every(isId)) return [...namesOrIds];
  const labels: Label[] = [];
  for await (const label of airdate.labels.list({}, { signal })) labels.push(label);
  const idOf = (given: string) => labels.find(({ name }) => name.toLowerCase() === given.toLowerCase())?.id;
  return namesOrIds.map((nameOrId) => {
    const id = isId(nameOrId) ? nameOrId : idOf(nameOrId);
    if (id === undefined) throw noLabel(nameOrId, labels);
    return id;
  });
}

function noLabel(name: string, labels: readonly Label[]): ExitError {
  const there = labels.length > 0 ? ` There are: ${labels.map((label) => label.name).join(', ')}.` : '';
  return new ExitError(
    EXIT.notFound,
    `No label is called ${name}.${there} Create it with: airdate labels create ${shellWord(name)}`,
  );
}
