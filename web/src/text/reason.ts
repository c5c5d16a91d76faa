// Why a post failed: the API's sentence, which ends with a code in parentheses. The code is for support.
import { typographic } from './api-text.js';
import { nameOfReason } from './reason-names.js';

const CODE = /\s*\(([\w.-]+)\)\.?$/;
/** With what happened; then comes what to do. */
const UNKNOWN = /^The outcome is unknown: (.+?)\. (?:The post is not sent again|Check the account)/;

export const codeOf = (reason: string): string => CODE.exec(reason)?.[1] ?? '';

/** The sentence for people. */
export const withoutCode = (reason: string): string =>
  typographic(reason.replace(CODE, '').replace(/([^.!?…])$/, '$1.'));

/** What happened, where the outcome is unknown; undefined where it is known. */
export function unknownBecause(reason: string): string | undefined {
  const what = UNKNOWN.exec(reason)?.[1];
  return what && typographic(`${what.charAt(0).toUpperCase()}${what.slice(1)}.`);
}

/** For a card or a row: the name of the failure, or what happened. The advice is on the page of the post. */
export const inBrief = (reason: string): string =>
  unknownBecause(reason) ?? nameOfReason(codeOf(reason)) ?? withoutCode(reason);
