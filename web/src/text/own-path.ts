// URLs that come from outside, such as the parameter `next` of the sign-in page, are followed only within this dashboard.

/** All screens have such paths. Whatever a browser could read as another host, or resolve before it asks, is not among them. */
const PLAIN = /^(?:\/[A-Za-z0-9_-]+)+$/;

const MAX_LENGTH = 2_000;

/**
 * The URL of a screen, absolute, or null if the text is anything else. `screens` are the paths of the router, in which a
 * segment that begins with `$` stands for any.
 */
export function ownUrl(text: string | undefined, screens: readonly string[], origin: string): string | null {
  if (text === undefined || text.length > MAX_LENGTH || /[\p{Cc}\p{Cf}\\]/u.test(text)) return null;
  const [path = ''] = text.split(/[?#]/, 1);
  if (!PLAIN.test(path) || !screens.some((screen) => fits(path, screen))) return null;
  const url = URL.parse(text, origin);
  return url !== null && url.origin === origin && url.pathname === path ? url.href : null;
}

function fits(path: string, screen: string): boolean {
  const segments = path.split('/');
  const expected = screen.split('/');
  return (
    segments.length === expected.length &&
    expected.every((part, i) => part === segments[i] || (part.length > 1 && part.startsWith('$')))
  );
}
