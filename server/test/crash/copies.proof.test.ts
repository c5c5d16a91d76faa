import { EVERY_PLACE } from '../copy-drill.js';
import { ENGINES } from '../databases.js';
import { killedBackups, killedMoves } from '../killed-copies.js';

for (const place of EVERY_PLACE) killedBackups(place, place);
if (ENGINES.length === 2) for (const files of ['disk', 's3'] as const) killedMoves(files);
