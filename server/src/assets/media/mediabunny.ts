// The library that reads videos, as the one file that its package has for CommonJS: every video is inspected in a process of its
// own, and loading the hundred modules takes twice as long.
import { createRequire } from 'node:module';

export const { CustomSource, EncodedPacketSink, Input, MP4, QTFF, WEBM } = createRequire(import.meta.url)(
  'mediabunny',
) as typeof import('mediabunny');
