import { killWhileWriting } from './stories/kill-while-writing.js';

// After 3 acknowledged writes.
killWhileWriting(1);
