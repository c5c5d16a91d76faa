// The frame around every screen: the navigation, the next posts, and what needs attention.

import { UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useRouterState } from '@tanstack/react-router';
import { CalendarDays, ChartNoAxesColumn, ChevronsUpDown, LayoutGrid, Settings, Users } from 'lucide-react';
import { startTransition, useEffect, useRef, useState } from 'react';
import { useLiveUpdates } from '../api/live.js';
import { answerProof, useIsProofAsked } from '../api/proof.js';
import { nextUpQuery, useMe } from '../api/queries.js';
import { roleLabel } from '../text/roles.js';
import { undoLatest } from '../ui/action-notice.js';
import { Waiting } from '../ui/Fallbacks.js';
import { lazyDialog, lazyOpened } from '../ui/lazy.js';
import { isTyping } from '../ui/typing.js';
import { usePhone } from '../ui/usePhone.js';
import { UploadTray } from '../uploads/UploadTray.js';
import { attentionTitle, Causes, NextUp } from './Causes.js';
import nextUpClasses from './NextUp.module.css';
import { useCauses, useRetryOverview } from './overview.js';
import { PhoneOverview } from './PhoneOverview.js';
import classes from './Shell.module.css';

const PLACES = [
  { to: '/library', label: 'Library', Icon: LayoutGrid },
  { to: '/calendar', label: 'Calendar', Icon: CalendarDays },
  { to: '/analytics', label: 'Analytics', Icon: ChartNoAxesColumn },
  { to: '/accounts', label: 'Accounts', Icon: Users },
] as const;
const SETTINGS = { to: '/settings', label: 'Settings', Icon: Settings } as const;

export function Shell() {
  useLiveUpdates();
  const isPhone = usePhone();
  const isLibrary = useLocation({ select: ({ pathname }) => pathname === '/library' });
  return (
    <>
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      <div className={classes.frame}>
        {!isPhone && <Sidebar />}
        <div className={classes.main}>
          <SafeModeBanner />
          <SandboxBanner />
          {isPhone && isLibrary && <PhoneOverview />}
          <main id="content" tabIndex={-1}>
            <Content />
          </main>
        </div>
        {isPhone && <TabBar />}
      </div>
      {isPhone && <UploadTray />}
      <Shortcuts />
      <Confirmation />
    </>
  );
}

/** Opened by a request that was refused, on whatever screen. */
export const Confirmation = () => (
  <ConfirmIdentity opened={useIsProofAsked()} onClose={() => answerProof(false)} />
);

const ConfirmIdentity = lazyDialog(async () => (await import('./ConfirmIdentity.js')).ConfirmIdentity);

/**
 * The first screen is drawn after the frame, and in a transition, which yields to the browser. The router would draw both, and
 * start all of their requests, in one task; a screen that arrives after the frame it would draw in one task too.
 */
function Content() {
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' });
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    if (!isLoading) startTransition(() => setDrawn(true));
  }, [isLoading]);
  if (isDrawn) return <Outlet />;
  return isLoading && <Waiting />;
}

function Sidebar() {
  const { organization } = useMe();
  return (
    <nav className={classes.sidebar} aria-label="Main">
      <div className={classes.brand}>
        <img src="/favicon.svg" alt="" width={18} height={18} />
        Airdate
        <span className={classes.org} dir="auto" title={organization.name}>
          {organization.name}
        </span>
      </div>
      {PLACES.map((place) => (
        <PlaceLink key={place.to} {...place} />
      ))}
      <NextUp />
      <NeedsAttention />
      <div className={classes.bottom}>
        <UploadTray />
        <PlaceLink {...SETTINGS} />
        <PersonMenu />
      </div>
    </nav>
  );
}

/** On a phone. The library carries a mark while something needs attention, on whatever screen. */
function TabBar() {
  const needing = useCauses()?.length ?? 0;
  return (
    <nav className={classes.bar} aria-label="Main">
      {[...PLACES, SETTINGS].map((place) => (
        <PlaceLink key={place.to} {...place} marked={place.to === '/library' ? needing : 0} />
      ))}
    </nav>
  );
}

type PlaceLinkProps = ((typeof PLACES)[number] | typeof SETTINGS) & { marked?: number };

const PlaceLink = ({ to, label, Icon, marked = 0 }: PlaceLinkProps) => (
  <Link to={to} className={classes.link}>
    <span className={classes.icon}>
      <Icon size={16} />
      {marked > 0 && <span className={classes.mark} aria-hidden />}
    </span>
    <span>{label}</span>
    {marked > 0 && <span className="unseen">, {marked} to look at</span>}
  </Link>
);

function SandboxBanner() {
  const { platform } = useMe();
  if (!platform?.is_sandbox) return null;
  return (
    <aside className={classes.banner} aria-label="Sandbox">
      Sandbox: nothing leaves this machine.{' '}
      {platform.feed_url && <a href={platform.feed_url}>See the feed →</a>}
    </aside>
  );
}

// After a restored backup nothing is published until the operator releases it: a banner says so on every screen.
function SafeModeBanner() {
  const { safe_mode, safe_mode_reason } = useMe();
  if (!safe_mode) return null;
  return (
    <aside className={classes.banner} data-tone="attention" role="status" aria-label="Safe mode">
      <strong>Safe mode: nothing is published until your Airdate administrator ends it.</strong>{' '}
      {safe_mode_reason} You can keep writing.
    </aside>
  );
}

const MAX_ROWS = 5;

/** What waits for a person, one row per cause, most urgent first. Absent when there is nothing. */
function NeedsAttention() {
  const causes = useCauses();
  // It comes after the posts above it, so that it does not move when they come.
  const { isPending } = useQuery(nextUpQuery);
  const lookAgain = useRetryOverview();
  if (!isPending && lookAgain)
    return (
      <section aria-labelledby="needs-attention">
        <h2 className={classes.section} id="needs-attention">
          Needs attention
        </h2>
        <UnstyledButton className={nextUpClasses.all ?? ''} onClick={lookAgain}>
          Couldn’t check. Try again
        </UnstyledButton>
      </section>
    );
  if (isPending || !causes || causes.length === 0) return null;
  return (
    <section aria-labelledby="needs-attention">
      <h2 className={classes.section} id="needs-attention">
        {attentionTitle(causes)}
      </h2>
      <Causes causes={causes.slice(0, MAX_ROWS)} />
      {causes.length > MAX_ROWS && (
        <Link to="/library" search={{ attention: true }} className={nextUpClasses.all} activeProps={{}}>
          See all posts
        </Link>
      )}
    </section>
  );
}

const Menu = lazyOpened('menu', async () => (await import('./PersonMenuItems.js')).PersonMenuItems);

/** Who is signed in, and signing out. Absent for a key. */
function PersonMenu() {
  const { user, role } = useMe();
  if (!user) return null;
  return (
    <Menu
      button={(props) => (
        <UnstyledButton {...props} className={classes.person ?? ''}>
          <span className={classes.personText}>
            <span className={classes.personName} dir="auto">
              {user.name}
            </span>
            {role && <span className={classes.personRole}>{roleLabel(role)}</span>}
          </span>
          <ChevronsUpDown size={14} />
        </UnstyledButton>
      )}
    />
  );
}

// The keys that work on every screen.
const List = lazyDialog(async () => (await import('./ShortcutList.js')).ShortcutList);

const SECOND_KEY_MS = 1_500;

function undo(event: KeyboardEvent): void {
  if (isTyping(document.activeElement)) return;
  event.preventDefault();
  if (!event.repeat) undoLatest();
}

function Shortcuts() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const wentAt = useRef(Number.NEGATIVE_INFINITY);
  const afterG = (go: () => void) => () => {
    if (performance.now() - wentAt.current < SECOND_KEY_MS) go();
    wentAt.current = Number.NEGATIVE_INFINITY;
  };
  useHotkeys([
    ['n', () => void navigate({ to: '/posts/new' })],
    ['/', () => void navigate({ to: '/library', search: { focus: true } })],
    [
      'g',
      () => {
        wentAt.current = performance.now();
      },
    ],
    ['l', afterG(() => void navigate({ to: '/library' }))],
    ['c', afterG(() => void navigate({ to: '/calendar' }))],
    ['a', afterG(() => void navigate({ to: '/analytics' }))],
    ['shift+?', open],
    ['mod+1', () => void navigate({ to: '/library' })],
    ['mod+2', () => void navigate({ to: '/calendar' })],
    ['mod+3', () => void navigate({ to: '/analytics' })],
    ['mod+4', () => void navigate({ to: '/accounts' })],
  ]);
  // Also on a checkbox. Outside a field, the browser would undo what was typed in some field, unseen.
  useHotkeys([['mod+Z', undo, { preventDefault: false }]], []);
  return <List opened={isOpen} onClose={close} />;
}
