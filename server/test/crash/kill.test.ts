import { killWhileWriting } from './kill-while-writing.js';

// After 3 and 10 acknowledged writes.
killWhileWriting(2);
