import { replaceUnderFire } from './replace-under-fire.js';

replaceUnderFire('sqlite', 20);
