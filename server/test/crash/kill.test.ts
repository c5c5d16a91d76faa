import { killWhileWriting } from './kill-while-writing.js';

// After 3, 10, 17 and 24 acknowledged writes.
killWhileWriting(4);
