// Downloads read their files in small pieces, a few at a time. A hundred downloads of one organization would otherwise have all
// threads that read files, and as many pieces to send in each turn of the event loop.
import { close, open, read } from 'node:fs';
import { createFairQueue } from '../../core/concurrency.js';

/** A client that does not read holds two of them. */
export const SERVED_PIECE = 64 * 1024;

const READING = { maxConcurrent: 4, perKey: 2 };

type Done = (error: NodeJS.ErrnoException | null, bytes: number, buffer: Buffer) => void;

/** Returns the functions that a stream of an organization's file uses. */
export function createServedReads() {
  const queue = createFairQueue(READING);
  return (orgId: string) => ({
    open,
    close,
    read(fd: number, buffer: Buffer, offset: number, length: number, position: number, done: Done): void {
      const readPiece = () =>
        new Promise<void>((free) => {
          read(fd, buffer, offset, length, position, (error, bytes) => {
            free();
            done(error, bytes, buffer);
          });
        });
      void queue(orgId, readPiece);
    },
  });
}
