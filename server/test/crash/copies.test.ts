import { ENGINES } from '../support/databases/fresh-databases.js';
import { killedBackups, killedMoves } from '../support/installations/killed-copies.js';

if (ENGINES.length === 2) {
  killedBackups(['sqlite', 'disk'], ['postgres', 'disk']);
  killedMoves('disk');
}
