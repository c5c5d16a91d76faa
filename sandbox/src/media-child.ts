// Looks into files in a process of its own, one after the other (see media-inspector.ts): a file that makes a library loop
// or run out of memory takes this process with it, and nothing else.
import type { Inspection } from './inspection.js';
import type { PublishRow } from './store.js';

export interface Job {
  kind: PublishRow['kind'];
  file: string;
  maxSeconds: number;
}

async function inspectMedia({ kind, file, maxSeconds }: Job): Promise<Inspection> {
  // Each library takes longer to load than Node to start, and most children need one.
  if (kind === 'photo') return (await import('./photo-checks.js')).lookIntoPhoto(file);
  return (await import('./video-checks.js')).lookIntoVideo(file, maxSeconds);
}

process.on('message', async (job: Job) => {
  process.send?.(await inspectMedia(job));
});
// The parent is gone.
process.on('disconnect', () => process.exit());
