import { type Kill, replaceUnderFire } from './replace-under-fire.js';

// While the bytes arrive, while they move, and while the old video is removed. The proof tries all stops, on both engines.
// Fewer readers than there: they take CPU that the service needs to restart.
const KILLS: Kill[] = ['bytes arriving', 'at both keys', 'removed, still marked for deletion'];

replaceUnderFire('sqlite', KILLS, 6);
