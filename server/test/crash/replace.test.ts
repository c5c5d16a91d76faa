import { type Kill, replaceUnderFire } from './replace-under-fire.js';

// While the bytes move, and while the old video is removed. The proof tries all stops, on both engines, and has more readers:
// they take CPU that the service needs to restart.
const KILLS: Kill[] = ['at both keys', 'removed, still marked for deletion'];

replaceUnderFire('sqlite', KILLS, 2);
