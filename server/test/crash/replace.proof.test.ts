import { ENGINES } from '../databases/fresh-databases.js';
import { killsInTurn, replaceUnderFire } from './replace-under-fire.js';

for (const engine of ENGINES) replaceUnderFire(engine, killsInTurn(200), 20);
