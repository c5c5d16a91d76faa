import { killWhileImporting } from './import-killed.js';

killWhileImporting(1, 1_000);
