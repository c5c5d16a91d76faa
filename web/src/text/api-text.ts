// Texts of the API as the dashboard shows them.

/** With the apostrophes that the dashboard uses. */
export const typographic = (text: string): string => text.replace(/(\p{L})'(?=\p{L})/gu, '$1’');

export interface PlatformName {
  name: string;
  /** The name at the start of a sentence. */
  atStart: string;
}

/** With the name of the platform in place of "the platform". */
export const named = (text: string, platform: PlatformName): string =>
  text.replaceAll('The platform', platform.atStart).replaceAll('the platform', platform.name);
