// What is typed beside what is saved. Text from elsewhere never replaces text that is being typed.
import { FIELDS, type Field, type Fields, mistakeIn, NO_FIELDS } from './fields.js';

export type Mistakes = Readonly<Partial<Record<Field, string>>>;

export type Texts = Readonly<{
  /** As the fields show them. */
  now: Fields;
  /** As the API has them, as far as this draft knows. */
  saved: Fields;
  /** Sent, but the answer was lost: the API may have them instead. Such a field is unsaved, whatever it shows. */
  lost: Partial<Fields>;
  /** What the API said about a text. It counts until that text changes. */
  refusals: Mistakes;
  focused: Field | undefined;
}>;

export const textsOf = (saved: Fields = NO_FIELDS): Texts => ({
  now: saved,
  saved,
  lost: {},
  refusals: {},
  focused: undefined,
});

export const pick = (fields: Partial<Fields>, names: readonly Field[]): Partial<Fields> =>
  Object.fromEntries(names.map((name) => [name, fields[name] ?? '']));

export function editField(texts: Texts, field: Field, text: string): Texts {
  const { [field]: _changed, ...refusals } = texts.refusals;
  return { ...texts, now: { ...texts.now, [field]: text }, refusals };
}

export const unsavedNames = ({ now, saved, lost }: Texts): Field[] =>
  FIELDS.filter((field) => now[field] !== saved[field] || lost[field] !== undefined);

export const unsaved = (texts: Texts): Partial<Fields> => pick(texts.now, unsavedNames(texts));

const mistakeAbout = ({ now, refusals }: Texts, field: Field): string | undefined =>
  refusals[field] ?? mistakeIn(field, now[field]);

/** Unsaved, and without a mistake. */
export const saveable = (texts: Texts): Field[] =>
  unsavedNames(texts).filter((field) => !mistakeAbout(texts, field));

export const mistakes = (texts: Texts): Mistakes =>
  Object.fromEntries(
    unsavedNames(texts).flatMap((field) => {
      const mistake = mistakeAbout(texts, field);
      return mistake ? [[field, mistake]] : [];
    }),
  );

export type MergedTexts = Readonly<{
  /** The same object if nothing changes. */
  texts: Texts;
  /** Fields whose saved text is another one than their writer has seen: saving them would overwrite it unseen. */
  unseen: readonly Field[];
}>;

/**
 * The API has `theirs` now. A field that its writer has not changed shows that text from now on, unless the cursor is in it and
 * `isForced` is false.
 */
export function mergeRemote(texts: Texts, theirs: Fields, isForced = false): MergedTexts {
  const { now, saved, lost, focused } = texts;
  const changed = FIELDS.filter((field) => theirs[field] !== saved[field]);
  const unseen = changed.filter((field) => {
    const text = theirs[field];
    if (text === now[field] || text === lost[field]) return false;
    return now[field] !== saved[field] || (field === focused && !isForced);
  });
  const seen = changed.filter((field) => !unseen.includes(field));
  if (seen.length === 0) return { texts, unseen };
  const filled = pick(
    theirs,
    seen.filter((field) => now[field] === saved[field] && lost[field] === undefined),
  );
  const found = pick(theirs, seen);
  return {
    texts: {
      ...texts,
      now: { ...now, ...filled },
      saved: { ...saved, ...found },
      lost: without(lost, seen),
    },
    unseen,
  };
}

/** The API has taken `sent`, and has `theirs` now. Its answer settles what became of earlier saves. */
export function accept(texts: Texts, theirs: Fields, sent: Partial<Fields>): MergedTexts {
  const { saved, lost } = texts;
  const found = pick(theirs, Object.keys(lost) as Field[]);
  const taken = { ...texts, saved: { ...saved, ...found, ...sent }, lost: {} };
  return mergeRemote(taken, { ...theirs, ...sent });
}

/** The answer to a save of these texts was lost. */
export const markSaveLost = (texts: Texts, sent: Partial<Fields>): Texts => ({
  ...texts,
  lost: { ...texts.lost, ...sent },
});

/** Saved is what the API has, and the writer has seen it. With `isMine`, the fields keep their own text all the same. */
export function settle(texts: Texts, theirs: Fields, names: readonly Field[], isMine: boolean): Texts {
  const found = pick(theirs, names);
  return {
    ...texts,
    now: isMine ? texts.now : { ...texts.now, ...found },
    saved: { ...texts.saved, ...found },
    lost: without(texts.lost, names),
  };
}

const without = (fields: Partial<Fields>, names: readonly Field[]): Partial<Fields> =>
  pick(
    fields,
    (Object.keys(fields) as Field[]).filter((field) => !names.includes(field)),
  );

/** Undefined if the API named none of these fields. Otherwise the fields it did not name can still be saved. */
export function refuse(texts: Texts, said: Mistakes, names: readonly Field[]): Texts | undefined {
  const named = names.filter((field) => said[field] !== undefined);
  if (named.length === 0) return undefined;
  return { ...texts, refusals: { ...texts.refusals, ...pick(said, named) } };
}

export const forgetRefusals = (texts: Texts): Texts => ({ ...texts, refusals: {} });

export const replace = (texts: Texts, by: Partial<Fields>): Texts => ({
  ...texts,
  now: { ...texts.now, ...by },
});

// What was changed elsewhere in fields that the member has not touched. The fields show the new text, and a note says so.

/** Only the composer changes these. The account and labels are also changed on other screens, often by the member. */
const NOTED: readonly Field[] = ['title', 'caption', 'hashtags', 'cover_index', 'cover_ms'];

export type RemoteChanges = Readonly<{
  /** The texts that were replaced, as they were before. */
  replaced: Partial<Fields>;
  /** Changed too, but the cursor is in the field: it shows the old text until the cursor leaves. */
  waiting: readonly Field[];
}>;

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
