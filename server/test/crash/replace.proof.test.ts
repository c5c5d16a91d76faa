import { ENGINES } from '../databases.js';
import { replaceUnderFire } from './replace-under-fire.js';

for (const engine of ENGINES) replaceUnderFire(engine, 200, 20);
