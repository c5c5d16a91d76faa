/** After signing in: goes to the requested page. It is reloaded, so that no data of another person is left in it. */
export const useComeIn = (next?: string) => (): void => window.location.replace(ownPath(next));

/** A path of this site, or the library: a URL must not be able to redirect to another site. */
function ownPath(next: string | undefined): string {
  if (!next?.startsWith('/')) return '/library';
  const url = URL.parse(next, window.location.origin);
  // "//host" and "/\host" are other hosts to a browser.
  if (url?.origin !== window.location.origin) return '/library';
  return url.pathname + url.search + url.hash;
}
