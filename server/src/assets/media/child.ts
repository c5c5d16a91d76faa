// The program of a process that reads files of strangers, one after the other (see children.ts): requests ranges of the file, and
// answers once. The libraries that decode run nowhere else.
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { headersOf, TooMuch } from './metadata/headers.js';
import { metadataOfMp4 } from './metadata/mp4.js';
import { metadataOfWebm } from './metadata/webm.js';
import {
  type Answers,
  type FromChild,
  type Medium,
  type ReadBytes,
  refused,
  type Task,
  type TaskResult,
  type ToChild,
} from './tasks.js';
import { watchBounds } from './watch.js';

const tell = (message: FromChild) => process.send?.(message);

const waiting = new Map<number, (bytes: Uint8Array) => void>();
let reads = 0;
const read: ReadBytes = (start, end) => {
  const id = ++reads;
  tell({ is: 'read', read: id, start, end });
  return new Promise((arrived) => waiting.set(id, arrived));
};

/** Only what is needed: each of the two libraries takes longer to load than Node to start. */
async function loadReader(medium: Medium) {
  if (medium === 'video') {
    const { judgeVideo } = await import('./read-video.js');
    return (task: Task, maxReadBytes: number, read: ReadBytes): Promise<TaskResult> =>
      task.kind === 'metadata' ? findMetadata(task, read) : judgeVideo(task, maxReadBytes, read);
  }
  const { convertPicture, judgePicture } = await import('./read-picture.js');
  return (task: Task, maxReadBytes: number, read: ReadBytes): Promise<TaskResult> =>
    (task.kind === 'fit' ? convertPicture : judgePicture)(task, maxReadBytes, read);
}

/** Reads headers and tables only, and says the same whenever it is asked. The stored file stays as it is. */
async function findMetadata({ type, size }: Task, read: ReadBytes): Promise<Answers['metadata']> {
  const headers = headersOf(size, read);
  try {
    const overwrites = await (type === 'video/webm' ? metadataOfWebm(headers) : metadataOfMp4(headers));
    return { ok: true, overwrites };
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return refused('The video has too many parts. Save it again and upload the new copy.');
  }
}

const readFile = await loadReader(process.argv[2] as Medium);
// A stop reaches the whole group of processes. It says nothing about the file, and the service ends this process itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const watch = watchBounds();

process.on('message', async (message: ToChild) => {
  if (!('task' in message)) {
    waiting.get(message.read)?.(message.bytes);
    waiting.delete(message.read);
    return;
  }
  watch.begin(message.bounds);
  const answer = await readFile(message.task, message.maxReadBytes, read);
  // What it still waits for would arrive while it reads the next file.
  const isWorn = watch.end() || waiting.size > 0;
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
try {
  // Requests, and the start of another such process, come before a stranger's file. Not lower: beside a busy service, a file that is
  // allowed its CPU time must get it before it is too late.
  setPriority(5);
} catch {
  // Not allowed here.
}
tell({ is: 'ready' });
