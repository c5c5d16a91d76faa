import { useNotifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import { lazyComponent } from '../ui/lazy.js';

const Shown = lazyComponent(async () => (await import('./NoticeList.js')).NoticeList);

/** By then the screen is complete. */
const SOON_MS = 5_000;

/**
 * Messages in the corner of the screen. What draws them loads after the first screen, and not with the first message: that
 * one may say that the connection is lost.
 */
export function Notices() {
  const { notifications } = useNotifications();
  const [isTime, setTime] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setTime(true), SOON_MS);
    return () => clearTimeout(timer);
  }, []);
  // Without a connection it is tried again.
  const onFailure = () => {
    setTime(false);
    setTimeout(() => setTime(true), SOON_MS);
  };
  return <Shown isNeeded={isTime || notifications.length > 0} onFailure={onFailure} />;
}
