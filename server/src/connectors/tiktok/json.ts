// Reads untrusted JSON: keeps 64-bit integers intact and checks every type.

export type Fields = Record<string, unknown>;

/** JavaScript numbers are exact up to 15 digits; post ids have 19. */
const LONG_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\w.+-])-?\d{16,}(?![\w.])/g;

/** Undefined if it is not JSON. Integers of 16 or more digits become text. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (!/\d{16}/.test(text)) return value;
    // Only text that has already been parsed gets here, on which the pattern needs a single pass.
    return JSON.parse(text.replace(LONG_NUMBER, (found) => (found.startsWith('"') ? found : `"${found}"`)));
  } catch {
    return undefined;
  }
}

export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** Non-empty text that every database can store. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed() ? value : null;

/** A non-negative integer. */
export const countOf = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;

/** Ids as digits, whether they come as numbers or as text. */
export function idsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.map(String).filter((id) => /^[1-9]\d{0,19}$/.test(id));
}
