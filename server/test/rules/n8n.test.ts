// The workflow for n8n sends its requests in its order, and ends with a published post. n8n itself is not installed here.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/config/config.js';
import { startService } from '../../src/service.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { until } from '../support/runner/until.js';
import { send } from '../support/service/send.js';

interface Node {
  name: string;
  type: string;
  parameters: {
    method: string;
    url: string;
    jsonBody?: string;
    headerParameters?: { parameters: { name: string; value: string }[] };
    assignments?: { assignments: { name: string; value: string }[] };
    conditions?: { conditions: { leftValue: string }[] };
  };
}

interface Workflow {
  nodes: Node[];
  connections: Record<string, { main: { node: string }[][] }>;
}

const FILE = new URL('../../../../docs/guides/airdate-n8n.json', import.meta.url);
const SLIDE = readFileSync(new URL('../../../test/media/slide.png', import.meta.url));

/** The nodes in the order in which they run: each leads to one other, a condition to its first branch. */
function inOrder({ nodes, connections }: Workflow): Node[] {
  const found: Node[] = [];
  for (let name: string | undefined = 'Start'; name; name = connections[name]?.main[0]?.[0]?.node) {
    const node = nodes.find((one) => one.name === name);
    assert.ok(node, `there is no node ${name}`);
    found.push(node);
  }
  assert.equal(found.length, nodes.length, 'every node is connected');
  return found;
}

describe('the workflow for n8n', () => {
  it('creates a post, adds a slide, checks it and publishes it', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'airdate-n8n-'));
    const files = createServer((_request, response) => response.end(SLIDE)).listen(0, '127.0.0.1');
    const settings = { PORT: '0', HOST: '127.0.0.1', WEBHOOK_ALLOW: '127.0.0.1', SANDBOX_PROCESSING_MS: '0' };
    const service = await startService(readConfig('serve', { ...settings, DATA_DIR: dir }), {
      log: silentLog,
    });
    const key = service.demo?.key ?? '';
    const api = `${service.url}/api/v1`;
    const get = async (path: string) => (await send('GET', api + path, { key })).json;
    try {
      const { data: accounts } = await get('/social-accounts');
      const given: Record<string, string> = {
        airdate: service.url,
        slide: `http://127.0.0.1:${(files.address() as AddressInfo).port}/slide.png`,
        account: accounts[0].id,
      };
      const results = new Map<string, unknown>();
      const item = (name: string) => ({ item: { json: results.get(name) } });
      let last: unknown;
      /** Text after `=` contains expressions in double braces. */
      const evaluated = (text: string): string =>
        text.startsWith('=')
          ? text
              .slice(1)
              .replaceAll(/\{\{(.+?)\}\}(?!\})/g, (_all, code: string) =>
                String(new Function('$', '$json', '$execution', `return ${code}`)(item, last, { id: '1' })),
              )
          : text;

      for (const { name, type, parameters } of inOrder(JSON.parse(readFileSync(FILE, 'utf8')))) {
        if (type.endsWith('.set')) {
          const names = parameters.assignments?.assignments.map((one) => one.name) ?? [];
          assert.deepEqual(names.sort(), Object.keys(given).sort());
          results.set(name, given);
        } else if (type.endsWith('.if'))
          assert.equal(
            evaluated(parameters.conditions?.conditions[0]?.leftValue ?? ''),
            'true',
            JSON.stringify(last),
          );
        else if (type.endsWith('.wait')) {
          const { data } = results.get('Create post') as { data: { id: string } };
          await until(
            'the slide is there',
            async () => (await get(`/posts/${data.id}/assets`)).data.length === 1,
          );
        } else if (type.endsWith('.httpRequest')) {
          const headers = (parameters.headerParameters?.parameters ?? []).map((one) => [
            one.name,
            evaluated(one.value),
          ]);
          const body =
            parameters.jsonBody === undefined ? {} : { body: JSON.parse(evaluated(parameters.jsonBody)) };
          const answer = await send(parameters.method, evaluated(parameters.url), {
            key,
            headers: Object.fromEntries(headers),
            ...body,
          });
          assert.ok(answer.status < 300, `${name}: ${answer.text}`);
          last = answer.json;
          results.set(name, last);
        }
      }
      const { data } = results.get('Create post') as { data: { id: string } };
      await until('it is published', async () => {
        return (await get(`/posts/${data.id}/publish-status`)).data.status === 'published';
      });
    } finally {
      await service.stop();
      files.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
