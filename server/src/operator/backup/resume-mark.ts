// A restore or a move that was interrupted is recognized by a mark in the file store that it fills: the files there are its own,
// and it goes on. The mark is there as long as it is not done.
import type { ObjectStore } from '../../object-store/object-store.js';
import { OperatorError } from './operator-error.js';

const MARK = 'airdate/arriving';

/** The store must be empty, or have been begun by the same restore or move: `id` says which. */
export async function beginOrResume(store: ObjectStore, id: string): Promise<void> {
  const mark = await markIn(store);
  if (mark === id) return;
  if (mark !== null)
    throw new OperatorError(
      'The file store holds files of another restore or move that was not finished. Repeat that one, or empty the store.',
    );
  for await (const { key } of store.list())
    throw new OperatorError(
      `The file store is not empty: it has ${key}. Name an empty one, in S3_BUCKET or with another DATA_DIR.`,
    );
  await store.replace(MARK, Buffer.from(`${JSON.stringify({ id })}\n`));
}

export const removeMark = (store: ObjectStore): Promise<void> => store.remove(MARK);

async function markIn(store: ObjectStore): Promise<string | null> {
  const bytes = await store.load(MARK);
  return bytes && String(JSON.parse(bytes.toString('utf8')).id);
}
