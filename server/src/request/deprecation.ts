// Marks what is deprecated. The OpenAPI document shows it, and http/deprecation.ts says so in the headers of each response.

/** docs/guides/versioning.md promises that what is deprecated works for this long. */
const YEARS_UNTIL_SUNSET = 1;

/** Days, as in 2027-03-01. No interface: a schema takes only what has an index. */
export type Deprecation = { 'x-deprecated-since': string; 'x-sunset': string };

/** For the schema of a field or of a route: `...deprecated('2027-03-01')`, with the day of the release that announces it. */
export function deprecated(since: string): Deprecation & { deprecated: true } {
  const sunset = new Date(since);
  sunset.setUTCFullYear(sunset.getUTCFullYear() + YEARS_UNTIL_SUNSET);
  return { deprecated: true, 'x-deprecated-since': since, 'x-sunset': sunset.toISOString().slice(0, 10) };
}
