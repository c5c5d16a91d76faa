// Uploads in parts are remembered in this browser: after a reload, or on another day, the same file goes on where it stopped.

interface KeptUpload {
  postId: string;
  uploadId: string;
  name: string;
  size: number;
  /** When the file was last changed, as the browser says. */
  changedAt: number;
  /** When the upload ends. */
  until: number;
}

const NAME = 'airdate:uploads';

function read(): KeptUpload[] {
  try {
    const kept = JSON.parse(localStorage.getItem(NAME) ?? '[]') as KeptUpload[];
    return kept.filter(({ until }) => until > Date.now());
  } catch {
    return [];
  }
}

function write(kept: readonly KeptUpload[]): void {
  try {
    localStorage.setItem(NAME, JSON.stringify(kept));
  } catch {
    // A full or forbidden storage: the upload then ends with this page.
  }
}

export function keepUpload(postId: string, uploadId: string, file: File, expiresAt: string): void {
  const { name, size, lastModified: changedAt } = file;
  const others = read().filter((each) => each.uploadId !== uploadId);
  write([...others, { postId, uploadId, name, size, changedAt, until: Date.parse(expiresAt) }]);
}

export const forgetUpload = (uploadId: string): void =>
  write(read().filter((each) => each.uploadId !== uploadId));

/** The upload that this file belongs to: name, size and time of change must be the same. */
export const keptUploadOf = (postId: string, file: File): string | undefined =>
  read().findLast(
    (each) =>
      each.postId === postId &&
      each.name === file.name &&
      each.size === file.size &&
      each.changedAt === file.lastModified,
  )?.uploadId;

export const isKept = (uploadId: string): boolean => read().some((each) => each.uploadId === uploadId);
