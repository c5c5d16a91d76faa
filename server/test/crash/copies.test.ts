import { ENGINES } from '../databases/fresh-databases.js';
import { killedBackups, killedMoves } from '../installations/killed-copies.js';

if (ENGINES.length === 2) {
  killedBackups(['sqlite', 'disk'], ['postgres', 'disk']);
  killedMoves('disk');
}
