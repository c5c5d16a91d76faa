import { lazyDialog } from '../ui/lazy.js';

/** Publish or schedule a post. */
export const PublishDialog = lazyDialog(async () => (await import('./PublishDialog.js')).PublishDialog);
