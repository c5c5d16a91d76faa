import { STORIES } from './sweep/sweep.js';
import { sweepWholly } from './sweep/whole-sweep.js';

sweepWholly('the platform of today', STORIES);
