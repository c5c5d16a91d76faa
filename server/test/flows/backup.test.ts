// On ordinary days two combinations; the proofs try each with each.
import { copyDrill, EVERY_PLACE } from '../support/installations/copy-drill.js';
import { everyday } from '../support/runner/test-tiers.js';

const embedded = EVERY_PLACE.slice(0, 1);
const distributed = EVERY_PLACE.slice(-1);

for (const place of everyday(embedded, EVERY_PLACE)) copyDrill(place, everyday(distributed, EVERY_PLACE));
for (const place of everyday(distributed, [])) copyDrill(place, embedded);
