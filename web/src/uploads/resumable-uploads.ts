// Uploads in parts are remembered in this browser: after a reload, or on another day, the same file goes on where it stopped.

interface ResumableUpload {
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

function read(): ResumableUpload[] {
  try {
    const kept = JSON.parse(localStorage.getItem(NAME) ?? '[]') as ResumableUpload[];
    return kept.filter(({ until }) => until > Date.now());
  } catch {
    return [];
  }
}

function write(kept: readonly ResumableUpload[]): void {
  try {
    localStorage.setItem(NAME, JSON.stringify(kept));
  } catch {
    // A full or forbidden storage: the upload then ends with this page.
  }
}

export function saveResumable(postId: string, uploadId: string, file: File, expiresAt: string): void {
  const { name, size, lastModified: changedAt } = file;
  const others = read().filter((each) => each.uploadId !== uploadId);
  write([...others, { postId, uploadId, name, size, changedAt, until: Date.parse(expiresAt) }]);
}

export const forgetResumable = (uploadId: string): void =>
  write(read().filter((each) => each.uploadId !== uploadId));

/** The upload that this file belongs to: name, size and time of change must be the same. */
export const findResumable = (postId: string, file: File): string | undefined =>
  read().findLast(
    (each) =>
      each.postId === postId &&
      each.name === file.name &&
      each.size === file.size &&
      each.changedAt === file.lastModified,
  )?.uploadId;

export const isResumable = (uploadId: string): boolean => read().some((each) => each.uploadId === uploadId);
