// Points at which a process of the crash tests kills itself as by `kill -9`. The product does not know of them: they wrap
// the functions it calls, of Node, of its store and of its database, after the start.

import files from 'node:fs';
import inPool from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Transform } from 'node:stream';
import type { App } from '../../../src/app/app.js';
import type { DiskStore } from '../../../src/object-store/disk/disk.js';

/** In the order in which a replace reaches them. */
export const STOPS = [
  'grant made, not committed',
  'grant committed, not answered',
  'bytes arriving',
  'bytes there, not flushed',
  'flushed, not named',
  'named, draft still there',
  'reader counted, not committed',
  'reader counted, nothing read',
  'looking into the file',
  'about to move',
  'at both keys',
  'moved',
  'settled, not committed',
  'settled, not answered',
  'about to remove',
  'removed, still marked for deletion',
  'forgotten, not committed',
  'forgotten',
] as const;
export type Stop = (typeof STOPS)[number];

/** Those that are reached only when the replaced video is removed. */
export const STOPS_OF_GARBAGE: readonly Stop[] = STOPS.slice(STOPS.indexOf('about to remove'));

/** The two ways in which a visitor becomes a member. */
export const ENTRANCES = { signUp: 'signed up', acceptInvitation: 'accepted' } as const;
type EntranceStop = `${(typeof ENTRANCES)[keyof typeof ENTRANCES]}, not ${'committed' | 'answered'}`;

export interface Armed {
  stop: Stop | EntranceStop;
  /** For `bytes arriving`: after how many. */
  bytes?: number;
}

let armed: Armed | null = null;

export function arm(next: Armed): void {
  armed = next;
}

function pass(stop: Armed['stop'], bytes = Number.POSITIVE_INFINITY): void {
  if (armed?.stop === stop && bytes >= (armed.bytes ?? 0)) process.kill(process.pid, 'SIGKILL');
}

export async function putStopsAround(app: App): Promise<void> {
  aroundFiles();
  aroundStore(app.store as DiskStore);
  aroundTransactions(app);
}

const isUpload = (path: unknown) => String(path).includes('/files/uploads/');

const isDraft = (path: unknown) => String(path).includes('/files/drafts/');

/** The disk store's operations, both as they run on a fast disk and in the thread pool. */
function aroundFiles(): void {
  const { linkSync, unlinkSync, fsync } = files;
  const { link, unlink } = inPool;
  const beforeLink = (to: files.PathLike) => isUpload(to) && pass('flushed, not named');
  const afterLink = (to: files.PathLike) => pass(isUpload(to) ? 'named, draft still there' : 'at both keys');
  files.linkSync = (from, to) => {
    beforeLink(to);
    linkSync(from, to);
    afterLink(to);
  };
  inPool.link = async (from, to) => {
    beforeLink(to);
    await link(from, to);
    afterLink(to);
  };
  // An upload is removed when it is moved; a replaced video has its own key.
  const isOldVideo = (path: files.PathLike) => !isUpload(path) && !isDraft(path);
  files.unlinkSync = (path) => {
    if (isOldVideo(path)) pass('about to remove');
    unlinkSync(path);
    if (isOldVideo(path)) pass('removed, still marked for deletion');
  };
  inPool.unlink = async (path) => {
    if (isOldVideo(path)) pass('about to remove');
    await unlink(path);
    if (isOldVideo(path)) pass('removed, still marked for deletion');
  };
  files.fsync = Object.assign(
    (fd: number, done: files.NoParamCallback) => {
      // Folders are flushed too.
      if (isDraft(files.readlinkSync(`/proc/self/fd/${fd}`))) pass('bytes there, not flushed');
      fsync(fd, done);
    },
    { __promisify__: fsync.__promisify__ },
  );
  syncBuiltinESMExports();
}

function aroundStore(store: DiskStore): void {
  const { receive, read, move } = store;
  store.receive = (key, body) => {
    let arrived = 0;
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        arrived += chunk.length;
        pass('bytes arriving', arrived);
        done(null, chunk);
      },
    });
    body.once('error', (error) => counted.destroy(error));
    return receive(key, body.pipe(counted));
  };
  store.read = async (key, range) => {
    const stream = await read(key, range);
    // The first read gets the first bytes; the later ones come from the process that reads files.
    if (isUploadKey(key) && range && range.end !== undefined && range.end > 4096)
      pass('looking into the file');
    return stream;
  };
  store.move = async (from, to) => {
    pass('about to move');
    await move(from, to);
    pass('moved');
  };
}

const isUploadKey = (key: string) => key.startsWith('uploads/');

function aroundTransactions({ db, store }: App): void {
  let grants = 0;
  const { signUpload } = store;
  store.signUpload = (grant) => {
    grants++;
    return signUpload(grant);
  };
  const { transact } = db;
  db.transact = async (work) => {
    const counts = calledBy('countReader');
    const settles = calledBy('inspectUpload');
    const forgets = calledBy('removeOne');
    const entrance = Object.entries(ENTRANCES).find(([name]) => calledBy(name))?.[1];
    let makesGrant = false;
    const result = await transact(async (tx) => {
      const before = grants;
      const result = await work(tx);
      makesGrant = grants > before;
      if (makesGrant) pass('grant made, not committed');
      if (counts) pass('reader counted, not committed');
      if (settles) pass('settled, not committed');
      if (forgets) pass('forgotten, not committed');
      if (entrance) pass(`${entrance}, not committed`);
      return result;
    });
    if (makesGrant) pass('grant committed, not answered');
    if (counts) pass('reader counted, nothing read');
    if (settles) pass('settled, not answered');
    if (forgets) pass('forgotten');
    if (entrance) pass(`${entrance}, not answered`);
    return result;
  };
}

/** A function that is renamed is never found: then its stop is never reached, and the test says so. */
const calledBy = (name: string) => new Error().stack?.includes(` at ${name} (`) === true;
