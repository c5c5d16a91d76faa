import { restoreDrill } from '../support/installations/restore-drill.js';

restoreDrill({ posts: 20, videos: 10, deleted: 5 });
