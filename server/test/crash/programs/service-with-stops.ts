// A service for the crash tests, started by them as a process of its own: the real service, which kills itself at the stop
// that the test names in a message.
import { readConfig } from '../../../src/config/config.js';
import { startService } from '../../../src/service.js';
import { type Armed, arm, putStopsAround } from './stops.js';

const service = await startService(readConfig('serve', process.env));
if (service.app) putStopsAround(service.app);
process.on('message', (next: Armed) => {
  arm(next);
  process.send?.({ armed: next.stop });
});
// The test process that would stop it is gone.
process.on('disconnect', () => process.exit());
process.send?.({ url: service.url });
