// Reads /metrics as a monitor does.
import assert from 'node:assert/strict';
import { send } from './send.js';

export interface Scrape {
  text: string;
  /** The value of a sample, by its name with labels as they are printed; undefined if there is none. */
  value(sample: string): number | undefined;
  /** Everything that has a type: what a rule may name. */
  types: Map<string, string>;
}

export async function scrape(url: string): Promise<Scrape> {
  const { status, text } = await send('GET', `${url}/metrics`, {});
  assert.equal(status, 200, text);
  const lines = text.split('\n');
  const samples = new Map(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const end = line.lastIndexOf(' ');
        return [line.slice(0, end), Number(line.slice(end + 1))];
      }),
  );
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name as string, type as string]),
  );
  return { text, value: (sample) => samples.get(sample), types };
}
