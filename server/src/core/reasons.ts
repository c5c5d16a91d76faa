// Why something did not happen, as one text: words for people, and at its end the code for programs. The API shows it so, and rows
// store it so: "The account is blocked until tomorrow (account_blocked)".

const CODE = /\s*\(([\w.-]+)\)$/;

export const reasonWithCode = (text: string, code: string): string => `${text.replace(/\.$/, '')} (${code})`;

export const codeOfReason = (reason: string): string | null => CODE.exec(reason)?.[1] ?? null;

export const reasonWithoutCode = (reason: string): string => reason.replace(CODE, '');
