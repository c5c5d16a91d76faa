import { ENGINES } from '../support/databases/fresh-databases.js';
import { killsInTurn, replaceUnderFire } from './stories/replace-under-fire.js';

for (const engine of ENGINES) replaceUnderFire(engine, killsInTurn(200), 20);
