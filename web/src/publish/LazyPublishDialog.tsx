import { dialogLater } from '../ui/lazy.js';

/** Publish or schedule a post. */
export const PublishDialog = dialogLater(async () => (await import('./PublishDialog.js')).PublishDialog);
