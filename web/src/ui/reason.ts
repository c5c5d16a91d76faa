// Why a post failed: the API's sentence, which ends with a code in parentheses. The code is for support.

const CODE = /\s*\(([\w.-]+)\)\.?$/;

export const codeOf = (reason: string): string => CODE.exec(reason)?.[1] ?? '';

/** The sentence for people. */
export const withoutCode = (reason: string): string => reason.replace(CODE, '').replace(/([^.!?…])$/, '$1.');
