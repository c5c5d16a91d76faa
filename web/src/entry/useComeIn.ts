/** After any way in: goes where they wanted to be. The page is loaded anew, so that nothing of another person is left in it. */
export const useComeIn = (next?: string) => (): void => window.location.replace(ownPath(next));

/** A path of this very site, or the library: an address must not be able to send people elsewhere. */
export function ownPath(next: string | undefined): string {
  if (!next?.startsWith('/')) return '/library';
  const url = URL.parse(next, window.location.origin);
  // "//host" and "/\host" are other hosts to a browser.
  if (url?.origin !== window.location.origin) return '/library';
  return url.pathname + url.search + url.hash;
}
