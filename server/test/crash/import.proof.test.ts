import { killWhileImporting } from './stories/import-killed.js';

killWhileImporting(20, 10_000);
