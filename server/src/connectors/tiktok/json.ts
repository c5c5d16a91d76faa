// Reads JSON from somebody who may send anything: whole 64-bit numbers, and no belief in types.

export type Fields = Record<string, unknown>;

/** A JavaScript number holds 15 digits for sure; post ids have 19. */
const LONG_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\w.+-])-?\d{16,}(?![\w.])/g;

/** Undefined if it is no JSON. Whole numbers of 16 digits and more come as text. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (!/\d{16}/.test(text)) return value;
    // Only what has been parsed once is looked through: there the pattern needs one pass.
    return JSON.parse(text.replace(LONG_NUMBER, (found) => (found.startsWith('"') ? found : `"${found}"`)));
  } catch {
    return undefined;
  }
}

export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** Text with something in it, and with nothing in it that no database keeps. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed() ? value : null;

/** A whole number that is not negative. */
export const countOf = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;

/** The digits of ids, which may come as numbers or as text. */
export function idsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.map(String).filter((id) => /^[1-9]\d{0,19}$/.test(id));
}
