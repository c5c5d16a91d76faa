/**
 * The secret of a one-time link, which follows the #. It is removed from the URL at once: it must not stay in the
 * history, nor be shared with it.
 */
export function takeToken(): string {
  const token = window.location.hash.slice(1);
  if (token !== '') window.history.replaceState(window.history.state, '', window.location.pathname);
  return token;
}
