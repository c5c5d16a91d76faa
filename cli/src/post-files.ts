// The files of a post, as people name them: by the number in the list, by file name, or by key.
import type { Asset, AssetList } from '@airdate/sdk';
import { EXIT, ExitError, usage } from './exit.js';

type Waiting = AssetList['pending'][number];
type Rejected = AssetList['rejected'][number];

/** As the API sends it, with its state. */
export type PostFile =
  | ({ state: 'uploaded' } & Asset)
  | ({ state: 'pending' } & Waiting)
  | ({ state: 'rejected' } & Rejected);

export const filesOf = ({ data, pending, rejected }: AssetList): PostFile[] => [
  ...data.map((file) => ({ state: 'uploaded' as const, ...file })),
  ...pending.map((file) => ({ state: 'pending' as const, ...file })),
  ...rejected.map((file) => ({ state: 'rejected' as const, ...file })),
];

/** Only uploaded files have one: what is rejected or still to come has no place yet. */
export const numberOf = (file: PostFile): number | undefined =>
  file.state === 'uploaded' ? file.position : undefined;

export function findFiles(files: readonly PostFile[], names: readonly string[]): PostFile[] {
  const found = names.map((name) => findFile(files, name));
  const twice = names.find((_name, i) => found.indexOf(found[i] as PostFile) < i);
  if (twice !== undefined) throw usage(`${twice} is named twice.`);
  return found;
}

function findFile(files: readonly PostFile[], name: string): PostFile {
  const byName = files.filter(({ filename }) => filename === name);
  const [file] = byName;
  if (file && byName.length === 1) return file;
  if (file) throw ambiguous(name, byName);
  const other = files.find((one) => String(numberOf(one)) === name || one.object_key === name);
  if (other) return other;
  const there = files.map((one) => [numberOf(one), one.filename].filter((part) => part !== undefined));
  const list = there.map((parts) => parts.join(' ')).join(', ');
  throw new ExitError(
    EXIT.notFound,
    `The post has no file ${name}. ${files.length > 0 ? `It has: ${list}.` : 'It has none.'}`,
  );
}

/** Files that have no number have a key. */
function ambiguous(name: string, files: readonly PostFile[]): ExitError {
  const choices = files.map((file) => numberOf(file) ?? file.object_key);
  return usage(
    `${files.length} files are called ${name}. Choose one by its number or key: ${choices.join(', ')}.`,
  );
}
