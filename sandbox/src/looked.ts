export interface Looked {
  reason: string | null;
  /** The file's real type; null if it is not accepted. */
  type: string | null;
}

export const refuse = (reason: string, type: string | null = null): Looked => ({ reason, type });
