// The frame around every screen: the navigation, the next posts, and what needs attention.
import { Link, Outlet } from '@tanstack/react-router';
import { CalendarDays, ChartNoAxesColumn, LayoutGrid, Settings, Users } from 'lucide-react';
import { useLiveUpdates } from '../api/live.js';
import { useMe } from '../api/permissions.js';
import { UploadTray } from '../uploads/UploadTray.js';
import { NeedsAttention } from './NeedsAttention.js';
import { NextUp } from './NextUp.js';
import { PersonMenu } from './PersonMenu.js';
import { SafeModeBanner } from './SafeModeBanner.js';
import classes from './Shell.module.css';
import { Shortcuts } from './Shortcuts.js';

const PLACES = [
  { to: '/library', label: 'Library', Icon: LayoutGrid },
  { to: '/calendar', label: 'Calendar', Icon: CalendarDays },
  { to: '/analytics', label: 'Analytics', Icon: ChartNoAxesColumn },
  { to: '/accounts', label: 'Accounts', Icon: Users },
] as const;

export function Shell() {
  useLiveUpdates();
  const me = useMe();
  return (
    <>
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      <div className={classes.frame}>
        <nav className={classes.sidebar} aria-label="Main">
          <div className={classes.brand}>
            <img src="/favicon.svg" alt="" width={18} height={18} />
            Airdate
            <span className={classes.org} title={me.organization.name}>
              {me.organization.name}
            </span>
          </div>
          <Places />
          <NextUp />
          <NeedsAttention />
          <div className={classes.bottom}>
            <Link to="/settings" className={classes.link}>
              <Settings size={16} aria-hidden /> Settings
            </Link>
            <PersonMenu />
          </div>
        </nav>
        <div className={classes.main}>
          <SafeModeBanner />
          <SandboxBanner />
          <main id="content" tabIndex={-1}>
            <Outlet />
          </main>
        </div>
        <nav className={classes.bar} aria-label="Main">
          <Places />
          <Link to="/settings" className={classes.link}>
            <Settings size={16} aria-hidden /> Settings
          </Link>
        </nav>
      </div>
      <UploadTray />
      <Shortcuts />
    </>
  );
}

const Places = () =>
  PLACES.map(({ to, label, Icon }) => (
    <Link key={to} to={to} className={classes.link}>
      <Icon size={16} aria-hidden /> {label}
    </Link>
  ));

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
