import { killWhileImporting } from './import-killed.js';

killWhileImporting(20, 10_000);
