// Labels by name, as people know them.
import type { Label } from '@airdate/sdk';
import { isId } from './account-id.js';
import type { Context } from './context.js';
import { usage } from './exit.js';

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
    if (id === undefined)
      throw usage(
        `No label is called ${nameOrId}. There are: ${labels.map(({ name }) => name).join(', ') || 'none'}.`,
      );
    return id;
  });
}
