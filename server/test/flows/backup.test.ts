// On ordinary days two combinations; the proofs try each with each.
import { copyDrill, EVERY_PLACE } from '../installations/copy-drill.js';
import { EVERYTHING } from '../runner/test-tiers.js';

const embedded = EVERY_PLACE.slice(0, 1);
const distributed = EVERY_PLACE.slice(-1);

if (EVERYTHING) for (const place of EVERY_PLACE) copyDrill(place, EVERY_PLACE);
else {
  for (const place of embedded) copyDrill(place, distributed);
  for (const place of distributed) copyDrill(place, embedded);
}
