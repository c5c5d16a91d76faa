/**
 * The secret of a one-time link, which follows the #. It is removed from the URL at once: it must not stay in the
 * history, nor be shared with it.
 */
export function takeToken(): string {
  const { hash, origin, pathname } = window.location;
  const token = hash.slice(1);
  // Absolute: a path alone could be read as another host.
  if (token !== '') window.history.replaceState(window.history.state, '', origin + pathname);
  return token;
}
