// A service for the crash tests, started by them as a process of its own: the real one, which ends itself at the point
// that the test names in a message.
import { readConfig } from '../../src/config/config.js';
import { startService } from '../../src/service.js';
import { type Armed, arm, putStopsAround } from './stops.js';

const service = await startService(readConfig('serve', process.env));
if (service.app) putStopsAround(service.app);
process.on('message', (next: Armed) => {
  arm(next);
  process.send?.({ armed: next.stop });
});
// Nobody is there any more who would end it.
process.on('disconnect', () => process.exit());
process.send?.({ url: service.url });
