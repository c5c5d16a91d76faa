// The frame around every screen: the navigation, the next posts, and what needs attention.
import { Link, Outlet, useLocation, useRouterState } from '@tanstack/react-router';
import { CalendarDays, ChartNoAxesColumn, LayoutGrid, Settings, Users } from 'lucide-react';
import { startTransition, useEffect, useState } from 'react';
import { useLiveUpdates } from '../api/live.js';
import { useMe } from '../api/permissions.js';
import { Waiting } from '../ui/Fallbacks.js';
import { usePhone } from '../ui/usePhone.js';
import { UploadTray } from '../uploads/UploadTray.js';
import { NeedsAttention } from './NeedsAttention.js';
import { NextUp } from './NextUp.js';
import { useCauses } from './overview.js';
import { PersonMenu } from './PersonMenu.js';
import { PhoneOverview } from './PhoneOverview.js';
import { SafeModeBanner } from './SafeModeBanner.js';
import classes from './Shell.module.css';
import { Shortcuts } from './Shortcuts.js';

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
    </>
  );
}

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
        <span className={classes.org} title={organization.name}>
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
      <Icon size={16} aria-hidden />
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
