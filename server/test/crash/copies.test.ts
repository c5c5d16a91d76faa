import { ENGINES } from '../databases.js';
import { killedBackups, killedMoves } from '../killed-copies.js';

if (ENGINES.length === 2) {
  killedBackups(['sqlite', 'disk'], ['postgres', 'disk']);
  killedMoves('disk');
}
