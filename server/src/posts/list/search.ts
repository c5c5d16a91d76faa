// Search in a case-folded copy of title and caption. Folding happens here because the engines disagree about upper and
// lower case outside ASCII.

export function foldForSearch(title: string, caption: string | null): string {
  return fold(caption === null ? title : `${title}\n${caption}`);
}

/** The pattern for `like … escape '\'` that matches `q` literally anywhere. */
export function searchPattern(q: string): string {
  return `%${fold(q).replace(/[\\%_]/g, '\\$&')}%`;
}

/** A final sigma has its own lower-case form, which would not match inside a longer word. */
const fold = (text: string) => text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
