// Every URL of the dashboard. Screens are fetched when they are first opened.
import { QueryClient as Queries, QueryCache, type QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { ApiError } from './api/client.js';
import { isOutage, onReturn, tryNow } from './api/outage.js';
import {
  accountsQuery,
  attentionQuery,
  countsQuery,
  meQuery,
  nextUpQuery,
  postsQuery,
} from './api/queries.js';
import { staysWhenSessionIsLost } from './api/session.js';
import { queryOf } from './library/query.js';
import { Shell } from './shell/Shell.js';
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
      retry: (failures, error) => failures < 2 && error instanceof ApiError && isPassing(error.status),
    },
  },
});

const isPassing = (status: number) => status === 0 || status === 429 || status >= 500;

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
  component: Shell,
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

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Leaves out absent parameters: URLs stay short, and types exact. */
const given = <T extends object>(search: T) =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };

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
  validateSearch: (search: Record<string, unknown>) =>
    given({
      status: text(search.status),
      type: text(search.type),
      account: text(search.account),
      label: text(search.label),
      sort: text(search.sort),
      q: text(search.q),
      page: Number(search.page) > 1 ? Number(search.page) : undefined,
      attention: search.attention === true || undefined,
      focus: search.focus === true || undefined,
    }),
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
  validateSearch: (search: Record<string, unknown>) =>
    given({ at: text(search.at), type: text(search.type) }),
  component: screen(() => import('./composer/NewPost.js'), 'NewPost'),
});

const editPost = createRoute({
  getParentRoute: () => inside,
  path: '/posts/$postId/edit',
  component: screen(() => import('./composer/Composer.js'), 'Composer'),
});

const post = createRoute({
  getParentRoute: () => inside,
  path: '/posts/$postId',
  validateSearch: (search: Record<string, unknown>) =>
    given({ publish: search.publish === true || undefined }),
  component: screen(() => import('./post/PostPage.js'), 'PostPage'),
});

const calendar = createRoute({
  getParentRoute: () => inside,
  path: '/calendar',
  validateSearch: (search: Record<string, unknown>) =>
    given({
      view: search.view === 'week' ? ('week' as const) : undefined,
      date: text(search.date),
      account: text(search.account),
      status: (['scheduled', 'in_inbox', 'posted', 'failed'] as const).find(
        (status) => status === search.status,
      ),
    }),
  component: screen(() => import('./calendar/Calendar.js'), 'Calendar'),
});

const analytics = createRoute({
  getParentRoute: () => inside,
  path: '/analytics',
  validateSearch: (search: Record<string, unknown>) =>
    given({
      days: [7, 30, 90].includes(Number(search.days)) ? Number(search.days) : undefined,
      outcome: text(search.outcome),
      reason: text(search.reason),
      page: Number(search.page) > 1 ? Number(search.page) : undefined,
    }),
  component: screen(() => import('./analytics/Analytics.js'), 'Analytics'),
});

const accounts = createRoute({
  getParentRoute: () => inside,
  path: '/accounts',
  validateSearch: (search: Record<string, unknown>) =>
    given({
      connected: text(search.connected),
      error: text(search.error),
      account: text(search.account),
    }),
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
  // Of the audit log, and of webhooks and their logs.
  validateSearch: (search: Record<string, unknown>) =>
    given({
      actor: text(search.actor),
      action: text(search.action),
      from: text(search.from),
      to: text(search.to),
      webhook: text(search.webhook),
      state: text(search.state),
      page: Number(search.page) > 1 ? Number(search.page) : undefined,
    }),
  component: screen(() => import('./settings/Settings.js'), 'Settings'),
});

/** An unknown URL. A signed-in person keeps the frame with its navigation. */
const nowhere = createRoute({ getParentRoute: () => inside, path: '$', component: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>) =>
    given({ next: text(search.next), as: text(search.as) }),
  component: screen(() => import('./auth/SignIn.js'), 'SignIn'),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: (search: Record<string, unknown>) => given({ next: text(search.next) }),
  component: screen(() => import('./auth/SignUp.js'), 'SignUp'),
});

const enter = createRoute({
  getParentRoute: () => root,
  path: '/enter',
  component: screen(() => import('./auth/SignInWithLink.js'), 'Enter'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: screen(() => import('./auth/Invitation.js'), 'Invitation'),
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
