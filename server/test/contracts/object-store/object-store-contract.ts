// What every object store promises, as tests that run on each of them, and where stores may differ.
import { createHash, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { after, before, describe } from 'node:test';
import type { ObjectStore, SignedUpload } from '../../../src/object-store/object-store.js';
import type { TestClock } from '../../support/service/harness.js';
import { downloadContract } from './contract-downloads.js';
import { copyContract, listContract, moveContract, objectContract } from './contract-objects.js';
import { partContract } from './contract-parts.js';
import { tamperContract } from './contract-tampering.js';
import { uploadContract } from './contract-uploads.js';

export interface StoreUnderTest {
  store: ObjectStore;
  /** The clock of the store, and of the server that answers its URLs. */
  clock: TestClock;
  stop(): Promise<void>;
}

/** Where stores may differ, and how this one does. */
export interface Traits {
  /** An upload URL may be used again, and then replaces what it stored. */
  rewrites: boolean;
  /** A move notices that its source was replaced. Only where stores rewrite. */
  noticesChange: boolean;
  /** What happens to a chunked body without an announced length. */
  chunked: 'stored' | 'refused';
  /** Whether a download URL also answers HEAD. */
  head: 'answered' | 'refused';
  /** Downloads forbid browsers to sniff types. */
  nosniff: boolean;
  /** The server answers 5xx to some requests that it must refuse. */
  refusesWith5xx: boolean;
  /** A number of objects that does not fit on one page of a list. */
  many: number;
  /** Invalid URLs to try, half of them for uploads. */
  mutations: number;
  /** The server reads one of several parameters with the same name: URLs that then mean the same are tolerated. */
  forgivesRepeats: boolean;
  /** The parts of an upload are still listed after they were joined. */
  listsJoinedParts: boolean;
}

export interface Bench {
  store: ObjectStore;
  clock: TestClock;
  traits: Traits;
  /** An unused key. */
  newKey(ending?: string): string;
  grant(key: string, more?: Partial<SignedUpload>): SignedUpload;
  /** Bytes that no other object has. */
  newBytes(length: number): Buffer;
  contents(key: string): Promise<Buffer>;
  refused(status: number): boolean;
}

export function objectStoreContract(
  title: string,
  make: () => Promise<StoreUnderTest>,
  traits: Traits,
): void {
  describe(title, () => {
    let made: StoreUnderTest | undefined;
    before(async () => {
      made = await make();
    });
    after(() => made?.stop());
    const running = (): StoreUnderTest => {
      if (!made) throw new Error('the store runs only while tests run');
      return made;
    };
    const bench: Bench = {
      get store() {
        return running().store;
      },
      get clock() {
        return running().clock;
      },
      traits,
      newKey: (ending = 'png') => `contract/${randomUUID()}/${randomUUID()}.${ending}`,
      grant: (key, more = {}) => ({
        key,
        contentType: 'image/png',
        length: null,
        maxLength: 10_000_000,
        expiresAt: running().clock.now() + 600_000,
        ...more,
      }),
      newBytes,
      refused: (status) => status >= 400 && (status < 500 || traits.refusesWith5xx),
      contents: async (key) => buffer(await running().store.read(key)),
    };
    describe('upload URLs', () => uploadContract(bench));
    describe('download URLs', () => downloadContract(bench));
    describe('tampered URLs', () => tamperContract(bench));
    describe('objects', () => objectContract(bench));
    describe('moves', () => moveContract(bench));
    describe('copies', () => copyContract(bench));
    describe('lists', () => listContract(bench));
    describe('parts', () => partContract(bench));
  });
}

function newBytes(length: number): Buffer {
  const blocks: Buffer[] = [];
  const seed = randomUUID();
  for (let i = 0; i * 32 < length; i++) blocks.push(createHash('sha256').update(`${seed}${i}`).digest());
  return Buffer.concat(blocks).subarray(0, length);
}
