// A program that uploads a file with the SDK and prints how far its memory grew, in whole megabytes.
//   node send-file.js <path|stream> <post> <file>
import { createReadStream, statSync } from 'node:fs';
import { Airdate } from '@airdate/sdk';

const [kind, post = '', file = ''] = process.argv.slice(2);
const airdate = new Airdate();
await airdate.organization.me();
const before = process.memoryUsage().rss;
let peak = before;
let sent = 0;
const onProgress = (progress: { sent: number }) => {
  sent = progress.sent;
  peak = Math.max(peak, process.memoryUsage.rss());
};
const source = kind === 'stream' ? createReadStream(file) : file;
await airdate.posts.upload(post, source, {
  filename: 'film.mp4',
  contentLength: statSync(file).size,
  onProgress,
});
process.stdout.write(JSON.stringify({ sent, grownMib: Math.round((peak - before) / 2 ** 20) }));
