import { killWhileWriting } from './stories/kill-while-writing.js';

killWhileWriting(80);
