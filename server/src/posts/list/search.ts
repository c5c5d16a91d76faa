// Search by a folded copy of title and caption. Folding is done here and not by the database, because the engines
// disagree about upper and lower case outside ASCII.

export function foldForSearch(title: string, caption: string | null): string {
  return fold(caption === null ? title : `${title}\n${caption}`);
}

/** The pattern for `like … escape '\'` that finds `q` anywhere, taken literally. */
export function searchPattern(q: string): string {
  return `%${fold(q).replace(/[\\%_]/g, '\\$&')}%`;
}

/** A sigma at the end of a word has a lower case of its own, which the middle of a longer word would not find. */
const fold = (text: string) => text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
