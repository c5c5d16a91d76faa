// What was changed elsewhere in fields that the member has not touched. The fields show the new text, and a note says so.
import type { Field, Fields } from './fields.js';
import type { Texts } from './texts.js';

/** Only the composer changes these. The account and labels are also changed on other screens, often by the member. */
const NOTED: readonly Field[] = ['title', 'caption', 'hashtags', 'cover_index', 'cover_ms'];

export interface RemoteChanges {
  /** The texts that were replaced, as they were before. */
  readonly replaced: Partial<Fields>;
  /** Changed too, but the cursor is in the field: it shows the old text until the cursor leaves. */
  readonly waiting: readonly Field[];
}

export const NO_CHANGES: RemoteChanges = { replaced: {}, waiting: [] };

/** `before` are the member's texts, `texts` what they are now. The same object if there is nothing new to say. */
export function noticed(
  remote: RemoteChanges,
  before: Texts,
  texts: Texts,
  unseen: readonly Field[],
): RemoteChanges {
  const replaced = NOTED.flatMap((field) => {
    const old = remote.replaced[field] ?? before.now[field];
    const isNew = before.now[field] !== texts.now[field] || field in remote.replaced;
    return isNew && old !== texts.now[field] ? [[field, old] as const] : [];
  });
  const waiting = NOTED.filter(
    (field) => unseen.includes(field) && texts.now[field] === texts.saved[field] && !(field in texts.lost),
  );
  const next: RemoteChanges = { replaced: Object.fromEntries(replaced), waiting };
  return JSON.stringify(next) === JSON.stringify(remote) ? remote : next;
}

/** The member types in a field, and so has read it. */
export function touched(remote: RemoteChanges, field: Field): RemoteChanges {
  const { replaced, waiting } = remote;
  if (!(field in replaced) && !waiting.includes(field)) return remote;
  const { [field]: _read, ...others } = replaced;
  return { replaced: others, waiting: waiting.filter((each) => each !== field) };
}

export const isQuiet = ({ replaced, waiting }: RemoteChanges): boolean =>
  Object.keys(replaced).length + waiting.length === 0;
