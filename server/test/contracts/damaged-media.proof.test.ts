import { damagedUploads } from '../support/media/damaged-media.js';

damagedUploads(400);
