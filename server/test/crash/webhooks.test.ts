import { killWhileSending } from './stories/kill-while-sending.js';

// In the fan-out, around the lease, around the settlement.
killWhileSending((statements) => [0.1, 0.4, 0.8].map((share) => Math.ceil(share * statements)));
