// The program of a process that reads files of strangers, one after the other (see children.ts): requests ranges of the file, and
// answers once. The libraries that decode run nowhere else.
import { writeFileSync } from 'node:fs';
import { fitPicture, inspectPicture } from './read-picture.js';
import { inspectVideo } from './read-video.js';
import type { Answer, FromChild, Read, Task, ToChild } from './tasks.js';
import { watchBounds } from './watch.js';

const tell = (message: FromChild) => process.send?.(message);

const waiting = new Map<number, (bytes: Uint8Array) => void>();
let reads = 0;
const read: Read = (start, end) => {
  const id = ++reads;
  tell({ is: 'read', read: id, start, end });
  return new Promise((arrived) => waiting.set(id, arrived));
};

function work(task: Task, maxReadBytes: number): Promise<Answer> {
  if (task.kind === 'fit') return fitPicture(task, maxReadBytes, read);
  return task.type.startsWith('image/')
    ? inspectPicture(task, maxReadBytes, read)
    : inspectVideo(task, maxReadBytes, read);
}

const watch = watchBounds();

process.on('message', async (message: ToChild) => {
  if (!('task' in message)) {
    waiting.get(message.read)?.(message.bytes);
    waiting.delete(message.read);
    return;
  }
  watch.begin(message.bounds);
  const answer = await work(message.task, message.maxReadBytes);
  const isWorn = watch.end();
  tell({ is: 'done', answer, isWorn });
});
// The parent is gone, so the answer has no receiver. Decoding would delay an orderly exit.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
try {
  // If the machine runs out of memory, Linux ends this process rather than the service.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Another system.
}
tell({ is: 'ready' });
