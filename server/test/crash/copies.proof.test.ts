import { ENGINES } from '../support/databases/fresh-databases.js';
import { EVERY_PLACE } from '../support/installations/copy-drill.js';
import { killedBackups, killedMoves } from '../support/installations/killed-copies.js';

for (const place of EVERY_PLACE) killedBackups(place, place);
if (ENGINES.length === 2) for (const files of ['disk', 's3'] as const) killedMoves(files);
