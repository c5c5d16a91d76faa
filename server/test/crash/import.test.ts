import { killWhileImporting } from './stories/import-killed.js';

killWhileImporting(1, 1_000);
