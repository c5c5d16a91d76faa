import { killWhileWriting } from './kill-while-writing.js';

// After 3 acknowledged writes.
killWhileWriting(1);
