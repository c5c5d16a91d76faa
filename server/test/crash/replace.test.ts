import { type Kill, replaceUnderFire } from './replace-under-fire.js';

// In each part of a replace: the grant, the bytes, the move, the answer, the removal of the old video. The proof tries all
// stops, on both engines. Fewer readers than there: they take CPU that the service needs to restart.
const KILLS: Kill[] = [
  'grant committed, not answered',
  'bytes arriving',
  'at both keys',
  null,
  'settled, not answered',
  'removed, still marked for deletion',
];

replaceUnderFire('sqlite', KILLS, 6);
