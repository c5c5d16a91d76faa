import { MIB } from '../support/service/part-uploads.js';
import { partsUnderFire } from './stories/parts-under-fire.js';

for (const kind of ['disk', 's3'] as const)
  partsUnderFire(kind, { size: 1024 * MIB + 7, cuts: 10, kills: 3, mostGrowthMib: 128 });
