import { STORIES } from './sweep.js';
import { sweepWholly } from './whole-sweep.js';

sweepWholly('the platform of today', STORIES);
