import { everyday } from '../support/runner/test-tiers.js';
import { MIB } from '../support/service/part-uploads.js';
import { partsUnderFire } from './stories/parts-under-fire.js';

// The proof sends 1 GB to each store, with ten cuts.
for (const kind of everyday<readonly ('disk' | 's3')[]>(['s3'], ['disk', 's3']))
  partsUnderFire(kind, {
    size: everyday(20, 36) * MIB + 7,
    cuts: everyday(1, 2),
    kills: 1,
    mostGrowthMib: 128,
  });
