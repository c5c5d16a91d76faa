import { replaceUnderFire } from './replace-under-fire.js';

// Once at every named stop. Fewer readers than in the proof: they take CPU that the service needs to restart.
replaceUnderFire('sqlite', 20, 6);
