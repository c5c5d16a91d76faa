import { OTHER_STORIES } from './sweep.js';
import { sweepWholly } from './whole-sweep.js';

sweepWholly('platforms that can be asked, or let a submit be repeated', OTHER_STORIES);
