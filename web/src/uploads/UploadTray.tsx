// Uploads whose post is not on the screen. What draws them loads with the first upload.
import { useEffect, useSyncExternalStore } from 'react';
import { lazyComponent } from '../ui/lazy.js';
import { getBackgroundUploads, getUploads, subscribe } from './store.js';

const Card = lazyComponent(async () => (await import('./TrayCard.js')).TrayCard);

export function UploadTray() {
  const hasUploads = useSyncExternalStore(subscribe, () => getUploads().length > 0);
  const { uploads, finished } = useSyncExternalStore(subscribe, getBackgroundUploads);
  // While there is a connection: the card may have to say that it is lost.
  useEffect(() => {
    if (hasUploads) Card.prepare();
  }, [hasUploads]);
  if (uploads.length + finished.length === 0) return null;
  return <Card isNeeded uploads={uploads} finished={finished} />;
}
