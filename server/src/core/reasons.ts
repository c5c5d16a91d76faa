// Why something did not happen: a text for people and a code for programs. Rows store both, each in its own column, and the API shows
// the text, which ends with the code: "The account is blocked until tomorrow (account_blocked)".

export interface Reason {
  code: string;
  /** The text, with the code at its end. */
  reason: string;
}

/** To be used within other texts. */
export function reasonWithoutCode(reason: string, code: string | null): string {
  const ending = ` (${code})`;
  return reason.endsWith(ending) ? reason.slice(0, -ending.length) : reason;
}
