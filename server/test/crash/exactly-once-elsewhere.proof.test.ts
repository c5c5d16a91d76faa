import { OTHER_STORIES } from './sweep/sweep.js';
import { sweepWholly } from './sweep/whole-sweep.js';

/** Each story has some 1,700, because both workers meet at more places: all of them would take a night. */
const CASES = 120;

sweepWholly('platforms that can be asked, or let a submit be repeated', OTHER_STORIES, CASES);
