import { later, sayNotLoaded } from '../ui/lazy.js';

const Loaded = later(async () => (await import('./webhooks/Webhooks.js')).Webhooks);

/** Few people open it, so it does not load with the other settings. */
export const WebhooksLater = () => <Loaded isNeeded onFailure={sayNotLoaded} />;
