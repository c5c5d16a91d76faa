import { useRouter } from '@tanstack/react-router';
import { ownUrl } from '../text/own-path.js';

/** After signing in: goes to the requested page. It is reloaded, so that no data of another person is left in it. */
export function useRedirectAfterSignIn(next?: string): () => void {
  const { routesById } = useRouter();
  return () => {
    const screens = Object.values(routesById)
      .filter(({ parentRoute }) => parentRoute?.id === '/inside')
      .map(({ fullPath }) => fullPath);
    const { origin } = window.location;
    // Absolute: a relative one could be read as another host.
    window.location.replace(ownUrl(next, screens, origin) ?? `${origin}/library`);
  };
}
