import { damagedUploads } from '../hostile/damaged-media.js';

damagedUploads(400);
