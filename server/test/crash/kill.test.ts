import { killWhileWriting } from './kill-while-writing.js';

// After 3 to 40 acknowledged writes, each number another one.
killWhileWriting(12);
