import { ENGINES } from '../databases/fresh-databases.js';
import { EVERY_PLACE } from '../installations/copy-drill.js';
import { killedBackups, killedMoves } from '../installations/killed-copies.js';

for (const place of EVERY_PLACE) killedBackups(place, place);
if (ENGINES.length === 2) for (const files of ['disk', 's3'] as const) killedMoves(files);
