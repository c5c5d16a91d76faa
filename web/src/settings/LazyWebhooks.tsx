import { lazyComponent, notifyLoadFailed } from '../ui/lazy.js';

const Loaded = lazyComponent(async () => (await import('./webhooks/Webhooks.js')).Webhooks);

/** Few people open it, so it does not load with the other settings. */
export const LazyWebhooks = () => <Loaded isNeeded onFailure={notifyLoadFailed} />;
