// What is typed beside what is saved. Text from elsewhere never replaces text that is being typed.
import { FIELDS, type Field, type Fields, mistakeIn, NO_FIELDS } from './fields.js';

export type Mistakes = Readonly<Partial<Record<Field, string>>>;

export interface Texts {
  /** As the fields show them. */
  readonly now: Fields;
  /** As the API has them. */
  readonly saved: Fields;
  /** What the API said about a text. It counts until that text changes. */
  readonly refusals: Mistakes;
  readonly focused: Field | undefined;
}

export const textsOf = (saved: Fields = NO_FIELDS): Texts => ({
  now: saved,
  saved,
  refusals: {},
  focused: undefined,
});

export const pick = (fields: Partial<Fields>, names: readonly Field[]): Partial<Fields> =>
  Object.fromEntries(names.map((name) => [name, fields[name] ?? '']));

export function type(texts: Texts, field: Field, text: string): Texts {
  const { [field]: _changed, ...refusals } = texts.refusals;
  return { ...texts, now: { ...texts.now, [field]: text }, refusals };
}

const unsavedNames = ({ now, saved }: Texts): Field[] =>
  FIELDS.filter((field) => now[field] !== saved[field]);

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

/** The API has taken `sent`, and has `theirs` now. Returns the same object if no field and no saved text changes. */
export function accept(texts: Texts, theirs: Fields, sent: Partial<Fields>): Texts {
  const { now, saved, focused } = texts;
  const changed = FIELDS.filter(
    (field) =>
      now[field] === saved[field] &&
      field !== focused &&
      sent[field] === undefined &&
      now[field] !== theirs[field],
  );
  if (changed.length === 0 && Object.keys(sent).length === 0) return texts;
  const filled = pick(theirs, changed);
  return { ...texts, now: { ...now, ...filled }, saved: { ...saved, ...sent, ...filled } };
}

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
