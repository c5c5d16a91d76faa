// A small restore drill; the whole one is a proof.
import { restoreDrill } from '../support/installations/restore-drill.js';

restoreDrill({ posts: 4, videos: 2, deleted: 1 });
