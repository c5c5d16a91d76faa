// Every URL of the dashboard. Screens are fetched when they are first opened.
import { QueryClient as Queries, QueryCache, type QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from './api/client.js';
import { isOutage, onReturn, tryNow } from './api/outage.js';
import {
  accountsQuery,
  attentionQuery,
  countsQuery,
  meQuery,
  nextUpQuery,
  postsQuery,
  useMe,
} from './api/queries.js';
import { staysWhenSessionIsLost } from './api/session.js';
import { queryOf } from './library/query.js';
import { Confirmation, Shell } from './shell/Shell.js';
import {
  ACCOUNTS,
  ANALYTICS,
  CALENDAR,
  LIBRARY,
  NEW_POST,
  POST,
  SETTINGS,
  SIGN_IN,
  SIGN_UP,
  searchBy,
} from './text/search-params.js';
import { rememberPlaces } from './ui/back-target.js';
import { NotFound, Trouble, Waiting } from './ui/Fallbacks.js';

interface Context {
  queries: QueryClient;
}

/** The session has ended: goes to the sign-in page, and afterwards back to the current page. */
function leaveWhenSignedOut(error: unknown) {
  const { pathname, href } = router.state.location;
  if (staysWhenSessionIsLost()) return;
  const isInside = ![signIn, signUp, enter, invitation].some(({ fullPath }) => fullPath === pathname);
  if (error instanceof ApiError && error.status === 401 && isInside)
    void router.navigate({ to: '/sign-in', search: { next: href } });
}

export const queries = new Queries({
  queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A refused request would be refused again; only one without a response is worth a retry.
      retry: (failures, error) => failures < 2 && error instanceof ApiError && isTransient(error.status),
    },
  },
});

const isTransient = (status: number) => status === 0 || status === 429 || status >= 500;

/**
 * A screen whose script cannot be fetched during an outage waits for its end. The router would reload the page, and leave the
 * person with nothing at all; it still does so if Airdate answers, because then the script is gone with an older version.
 */
const screen = <Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) => {
  const loadWhenReachable = async (): Promise<Module> => {
    try {
      return await load();
    } catch (error) {
      await tryNow();
      if (!isOutage()) throw error;
      await end();
      return load();
    }
  };
  return lazyRouteComponent(loadWhenReachable, name);
};

/** Of the outage. */
const end = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = onReturn(() => {
      stop();
      resolve();
    });
  });

const root = createRootRouteWithContext<Context>()();

/** Everything that needs a session. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Inside,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queries.ensureQueryData(meQuery);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        throw redirect({ to: '/sign-in', search: { next: location.href } });
      throw error;
    }
  },
  // Asked for before the screen is drawn, so that neither waits for the other. A failure is shown by the parts that need it.
  loader: ({ context: { queries } }) => {
    void queries.prefetchQuery(accountsQuery);
    void queries.prefetchQuery(attentionQuery);
    void queries.prefetchQuery(nextUpQuery);
  },
});

/** A member who lacks the second factor that the organization requires can only add one. */
function Inside() {
  const { organization, user } = useMe();
  // The recovery codes are shown when the factor is there already.
  const [isAdding, setAdding] = useState(false);
  const lacksFactor = organization.second_factor === 'required' && user?.has_second_factor === false;
  if (!lacksFactor && !isAdding) return <Shell />;
  return (
    <>
      <FactorGate onAdding={setAdding} />
      <Confirmation />
    </>
  );
}

const FactorGate = screen(() => import('./settings/FactorGate.js'), 'FactorGate');

const index = createRoute({
  getParentRoute: () => inside,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/library' });
  },
});

const library = createRoute({
  getParentRoute: () => inside,
  path: '/library',
  validateSearch: searchBy(LIBRARY),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, deps }) => {
    void queries.prefetchQuery(postsQuery(queryOf(deps)));
    void queries.prefetchQuery(countsQuery);
  },
  component: screen(() => import('./library/Library.js'), 'Library'),
});

const newPost = createRoute({
  getParentRoute: () => inside,
  path: '/posts/new',
  validateSearch: searchBy(NEW_POST),
  component: screen(() => import('./composer/NewPost.js'), 'NewPost'),
});

const editPost = createRoute({
  getParentRoute: () => inside,
  path: '/posts/$postId/edit',
  component: screen(() => import('./composer/EditPost.js'), 'Composer'),
});

const post = createRoute({
  getParentRoute: () => inside,
  path: '/posts/$postId',
  validateSearch: searchBy(POST),
  component: screen(() => import('./post/PostPage.js'), 'PostPage'),
});

const calendar = createRoute({
  getParentRoute: () => inside,
  path: '/calendar',
  validateSearch: searchBy(CALENDAR),
  component: screen(() => import('./calendar/Calendar.js'), 'Calendar'),
});

const analytics = createRoute({
  getParentRoute: () => inside,
  path: '/analytics',
  validateSearch: searchBy(ANALYTICS),
  component: screen(() => import('./analytics/Analytics.js'), 'Analytics'),
});

const accounts = createRoute({
  getParentRoute: () => inside,
  path: '/accounts',
  validateSearch: searchBy(ACCOUNTS),
  component: screen(() => import('./accounts/Accounts.js'), 'Accounts'),
});

const settingsIndex = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  beforeLoad: () => {
    // No section has this name: the screen goes to the first one that the person may open.
    throw redirect({ to: '/settings/$section', params: { section: 'first' } });
  },
});

const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings/$section',
  validateSearch: searchBy(SETTINGS),
  component: screen(() => import('./settings/Settings.js'), 'Settings'),
});

/** An unknown URL. A signed-in person keeps the frame with its navigation. */
const nowhere = createRoute({ getParentRoute: () => inside, path: '$', component: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: searchBy(SIGN_IN),
  component: screen(() => import('./auth/SignIn.js'), 'SignIn'),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: searchBy(SIGN_UP),
  component: screen(() => import('./auth/SignUp.js'), 'SignUp'),
});

const enter = createRoute({
  getParentRoute: () => root,
  path: '/enter',
  component: screen(() => import('./auth/SignInWithLink.js'), 'SignInWithLink'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: screen(() => import('./auth/Invitation.js'), 'Invitation'),
});

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  component: screen(() => import('./auth/ResetPassword.js'), 'ResetPassword'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    inside.addChildren([
      index,
      library,
      newPost,
      editPost,
      post,
      calendar,
      analytics,
      accounts,
      settingsIndex,
      settings,
      nowhere,
    ]),
    signIn,
    signUp,
    enter,
    invitation,
    reset,
  ]),
  context: { queries },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingComponent: Waiting,
  // Avoids flicker: a screen that loads within this time shows no loading state.
  defaultPendingMs: 300,
  defaultErrorComponent: Trouble,
  scrollRestoration: true,
});

rememberPlaces(router);

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
