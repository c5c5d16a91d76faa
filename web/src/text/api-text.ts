// Texts of the API as the dashboard shows them.
import { nameOfReason } from './reason-names.js';

/** With the apostrophes that the dashboard uses. */
export const typographic = (text: string): string => text.replace(/(\p{L})'(?=\p{L})/gu, '$1’');

export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export interface PlatformName {
  name: string;
  /** The name at the start of a sentence. */
  atStart: string;
}

/** With the name of the platform in place of "the platform". */
export const named = (text: string, platform: PlatformName): string =>
  text.replaceAll('The platform', platform.atStart).replaceAll('the platform', platform.name);

// Why a post failed: the API's sentence, which ends with a code in parentheses. The code is for support.
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
  return what && typographic(`${upperFirst(what)}.`);
}

/** For a card or a row: the name of the failure, or what happened. The advice is on the page of the post. */
export const inBrief = (reason: string): string =>
  unknownBecause(reason) ?? nameOfReason(codeOf(reason)) ?? withoutCode(reason);
