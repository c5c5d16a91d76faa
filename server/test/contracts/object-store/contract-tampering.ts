// What the signed URLs of every object store promise: they allow only what was signed. One part of
// object-store-contract.ts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inParallel } from '../../support/runner/in-parallel.js';
import { meaning, mutate } from './address-mutations.js';
import type { Bench } from './object-store-contract.js';
import { newAgent, send } from './raw-requests.js';

const LENGTH = 64;
const SEED = 20_240_517;

export function tamperContract(bench: Bench): void {
  const half = Math.ceil(bench.traits.mutations / 2);

  async function everything(): Promise<string[]> {
    const lines: string[] = [];
    for await (const { key, size, version } of bench.store.list()) lines.push(`${key} ${size} ${version}`);
    return lines.sort();
  }

  for (const method of ['PUT', 'GET'] as const)
    it(`are refused: ${half} changes to a valid one for ${method}, and nothing is stored or served`, async (t) => {
      const [key, other] = [bench.newKey(), bench.newKey()];
      const bytes = bench.newBytes(LENGTH);
      const upload = { headers: { 'content-type': 'image/png', 'content-length': `${LENGTH}` }, body: bytes };
      for (const one of [key, other]) if (method === 'GET') await bench.store.write(one, bytes);
      const sign = (one: string) =>
        method === 'PUT'
          ? bench.store.signUpload(bench.grant(one, { length: LENGTH }))
          : bench.store.signDownload(one, bench.clock.now() + 600_000);
      const { origin } = new URL(sign(key));
      const right = {
        method,
        address: sign(key).slice(origin.length),
        other: sign(other).slice(origin.length),
      };
      const before = await everything();
      const accepted: string[] = [];
      let [forgiven, failed] = [0, 0];
      const agent = newAgent(16);
      await inParallel(16, mutate(right, half, SEED), async (mutant) => {
        const withBody = mutant.method === 'PUT' || mutant.method === 'POST' || mutant.method === 'PATCH';
        const answer = await send(mutant.method, origin, {
          target: mutant.address,
          agent,
          ...(withBody ? upload : {}),
        });
        if (answer.status >= 500) failed++;
        if (bench.refused(answer.status) && !answer.body.includes(bytes)) return;
        if (bench.traits.forgivesRepeats && sameWithoutRepeats(mutant.address, right.address)) forgiven++;
        else accepted.push(`${mutant.kind}: ${answer.status} to ${mutant.method} ${mutant.address}`);
      });
      agent.destroy();
      if (failed > 0) t.diagnostic(`${failed} were refused with an error of the server's own`);
      if (forgiven > 0)
        t.diagnostic(`${forgiven} repeated parameters were forgiven: the address meant the same`);
      assert.deepEqual(accepted, []);
      // A tolerated change did what the valid URL does.
      if (forgiven > 0 && method === 'PUT') await bench.store.remove(key);
      assert.deepEqual(await everything(), before);
      // The valid one works, so the others were refused because of their change.
      const check = method === 'PUT' ? send('PUT', sign(key), upload) : send('GET', sign(key));
      assert.ok((await check).status < 300);
    });
}

/** Whether two URLs mean the same to a server that reads the first, or the last, of parameters with one name. */
function sameWithoutRepeats(mutant: string, right: string): boolean {
  const nameOf = (pair: string) => (JSON.parse(pair) as [string])[0];
  const first = (pairs: string[]) =>
    pairs.filter((pair, i) => pairs.findIndex((one) => nameOf(one) === nameOf(pair)) === i);
  const last = (pairs: string[]) => first(pairs.toReversed());
  return [first, last].some((read) => meaning(mutant, read) === meaning(right));
}
