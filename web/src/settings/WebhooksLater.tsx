import { later, sayNotLoaded } from '../ui/later.js';

const Loaded = later(async () => (await import('./webhooks/Webhooks.js')).Webhooks);

/** Few people open it, so it does not load with the other settings. */
export const WebhooksLater = () => <Loaded isNeeded onFailure={sayNotLoaded} />;
