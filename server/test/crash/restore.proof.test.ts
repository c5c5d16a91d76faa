import { restoreDrill } from '../installations/restore-drill.js';

restoreDrill({ posts: 20, videos: 10, deleted: 5 });
