// Parses the Range header of a download: a single byte range.

/** `end` is exclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Null means the whole file: no range was requested, or none that a server must support. */
export function rangeOf(header: string | undefined, size: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes=(\d{0,16})-(\d{0,16})$/.exec(header ?? '');
  if (!match) return null;
  const [, first, last] = match as unknown as [string, string, string];
  if (first === '') {
    if (last === '') return null;
    const wanted = Math.min(Number(last), size);
    return wanted === 0 ? 'unsatisfiable' : { start: size - wanted, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
