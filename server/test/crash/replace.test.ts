import { replaceUnderFire } from './replace-under-fire.js';

// Once at every named point. Fewer readers than in the proof: they take the time that the service needs to start again.
replaceUnderFire('sqlite', 20, 6);
