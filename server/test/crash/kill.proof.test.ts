import { killWhileWriting } from './kill-while-writing.js';

killWhileWriting(80);
