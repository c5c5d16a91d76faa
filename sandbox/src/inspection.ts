export interface Inspection {
  reason: string | null;
  /** The file's real type; null if it is not accepted. */
  type: string | null;
  /** Of accepted files. */
  size?: Size;
}

/** What the API reports about the first file of a post. A photo lasts no time. */
export interface Size {
  width: number;
  height: number;
  seconds: number;
}

export const refuse = (reason: string, type: string | null = null): Inspection => ({ reason, type });
