// Counts the work of a request, the same on every machine: how often blocks of the service's code and of its libraries run. V8
// counts by function, not by block, in what ran before this was imported; and not at all what native code does, such as parsing
// JSON.
import { Session } from 'node:inspector';
import { SLICES } from '../../../src/core/slices.js';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

const COUNTED = /\/(server\/dist\/src|sandbox\/dist|node_modules)\//;

/** The blocks that ran since it was last called. */
function takeBlocks(): number {
  let blocks = 0;
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error;
    for (const { url, functions } of result)
      if (COUNTED.test(url))
        for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
  });
  return blocks;
}

export interface Work {
  blocks: number;
  /** The units of each slice; empty if nothing was done in slices. */
  slices: number[];
}

export async function countWork(act: () => Promise<unknown>): Promise<Work> {
  const slices: number[] = [];
  const listen = (units: unknown) => void slices.push(units as number);
  SLICES.subscribe(listen);
  takeBlocks();
  try {
    await act();
    return { blocks: takeBlocks(), slices };
  } finally {
    SLICES.unsubscribe(listen);
  }
}
