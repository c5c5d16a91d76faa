import { killWhileImporting } from './import-killed.js';

killWhileImporting(2, 1_000);
