import { type Kill, replaceUnderFire } from './stories/replace-under-fire.js';

// While the bytes move. The proof tries all stops, on both engines, and has more readers:
// they take CPU that the service needs to restart.
const KILLS: Kill[] = ['at both keys'];

replaceUnderFire('sqlite', KILLS, 2);
