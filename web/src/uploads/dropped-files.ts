// Files that were dropped on another screen, on their way to the composer of a new post.

let waiting: readonly File[] = [];

export function passDroppedFiles(files: readonly File[]): void {
  waiting = files;
}

/** Only once. */
export function takeDroppedFiles(): readonly File[] {
  const files = waiting;
  waiting = [];
  return files;
}
