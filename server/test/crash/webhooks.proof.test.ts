import { killWhileSending } from './stories/kill-while-sending.js';

killWhileSending((statements) => Array.from({ length: statements }, (_, i) => i + 1));
