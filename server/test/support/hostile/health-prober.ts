// A thread that asks for /healthz again and again, and notes how long each answer took: the test is busy in the main one.
//   new Worker('health-prober.js', { workerData: url })
// `begin` forgets the times, also of the request under way, and answers when it has; any other message is answered with them.
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

let times: number[] = [];
let hasToBegin = false;
parentPort?.on('message', (message) => {
  if (message === 'begin') hasToBegin = true;
  else parentPort?.postMessage(times);
});

for (;;) {
  const began = performance.now();
  const answer = await fetch(`${workerData}/healthz`).catch(() => null);
  // The service has ended before the test.
  if (answer === null) break;
  await answer.text();
  times.push(performance.now() - began);
  if (hasToBegin) {
    hasToBegin = false;
    times = [];
    parentPort?.postMessage(times);
  }
  await delay(2);
}
