// A thread that asks for /healthz again and again, and notes how long each answer took: the service and the test share the main one.
//   new Worker('health-prober.js', { workerData: url }); any message makes it answer with the times since the last one.
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

let times: number[] = [];
parentPort?.on('message', () => {
  parentPort?.postMessage(times);
  times = [];
});

for (;;) {
  const began = performance.now();
  await (await fetch(`${workerData}/healthz`)).text();
  times.push(performance.now() - began);
  await delay(2);
}
