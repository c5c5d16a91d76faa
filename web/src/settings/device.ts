// "Firefox on Windows", from the user agent. Rough: its owner only has to recognise it.

/** The first that matches: many claim to be others as well. */
const BROWSERS: [name: string, sign: RegExp][] = [
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\//],
  ['Chrome', /Chrome\/|CriOS\//],
  ['Safari', /Safari\//],
  ['curl', /^curl\//],
];

const SYSTEMS: [name: string, sign: RegExp][] = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
];

export function deviceOf(userAgent: string | null): string {
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? 'Unknown browser';
}

const nameIn = (known: [string, RegExp][], userAgent: string | null) =>
  known.find(([, sign]) => sign.test(userAgent ?? ''))?.[0];
