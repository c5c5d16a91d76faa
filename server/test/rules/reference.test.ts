// Every sample on the pages of the reference runs as it stands there, in a shell, in TypeScript and in Python, against a service with
// the things that its ids stand for.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { expandComponents } from '../../src/http/openapi-components.js';
import { skipWithout } from '../support/programs/terminal.js';
import { everyday, itInProofs } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, useService } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { perform, type Scene } from './samples/reference-world.js';
import { SampleRunners } from './samples/sample-runners.js';
import { type Section, sections } from './samples/samples.js';

interface Schema {
  $ref?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
}

interface Operation {
  operationId: string;
  summary: string;
  tags: [string];
  responses: Record<string, { content?: Record<string, { schema: Schema; example?: { data: unknown } }> }>;
}

interface Shown {
  operation: Operation;
  /** What the page says that comes back. */
  response: unknown;
}

const document = expandComponents(
  JSON.parse(readFileSync(new URL('../../../../sdk/openapi.json', import.meta.url), 'utf8')),
);
const operations = Object.values<Record<string, Operation>>(document.paths).flatMap((path) =>
  Object.values(path),
);

/** What the responses show of each kind of thing. */
const EXAMPLES = new Map<string, Record<string, string>[]>();
for (const { responses } of operations)
  for (const { content = {} } of Object.values(responses))
    for (const { schema, example } of Object.values(content)) {
      const data = schema.properties?.data;
      const name = (data?.items ?? data)?.$ref?.split('/').at(-1);
      if (!name || !example) continue;
      const shown = [example.data].flat() as Record<string, string>[];
      EXAMPLES.set(name, [...(EXAMPLES.get(name) ?? []), ...shown]);
    }

/** Where the examples of the document are: in the days before their slots. */
const THEN = Date.parse('2026-11-20T12:00:00Z');

describe('the reference', { skip: skipWithout('sh', 'curl', 'python3') }, () => {
  const service = useService('sqlite', { env: { SIGNUP: 'open', SANDBOX_PROCESSING_MS: '0' } });
  const runners = new SampleRunners();
  const pages = new Map<string, Promise<Section[]>>();
  before(() => service.clock.advance(THEN - Date.now()));
  after(() => runners.close());

  const pageOf = ({ tags: [tag] }: Operation) => {
    const path = `/docs/api/${tag.toLowerCase()}.md`;
    const page = pages.get(tag) ?? service.request('GET', path).then(({ text }) => sections(text));
    pages.set(tag, page);
    return page;
  };

  const literal = (place: string): string => {
    const [schema = '', field = ''] = place.split('.');
    const [value] = (EXAMPLES.get(schema) ?? []).flatMap((example) => example[field] ?? []);
    assert.ok(value, `no response has an example of ${place}`);
    return value;
  };

  async function run({ operation, response }: Shown, language: string, text: string): Promise<void> {
    assert.doesNotMatch(text, /airdate\.invalid/, 'the address of this service is missing');
    const org = await service.newOrganization();
    const owner = await newPerson(service, org.id, 'owner');
    const scene: Scene = { service, org, owner, literal };
    const env = { AIRDATE_API_KEY: org.key, ADMIN_TOKEN, AIRDATE_COOKIE: owner.browser.cookie ?? '' };
    const performed = await perform(operation.operationId, text, scene);
    const { out, error } = await runners.run(language, performed, env);
    assert.equal(error, null, `${performed}\n${error}`);
    assert.doesNotMatch(out, /\/problems\//, `${performed}\n${out}`);
    if (response === undefined || language !== 'sh') return;
    assert.deepEqual(shapeOf(JSON.parse(out)), shapeOf(response), out);
  }

  for (const operation of everyday(8, operations, 'samples of the reference'))
    it(`shows how to ${operation.operationId}, in three languages that work`, async () => {
      const page = await pageOf(operation);
      const section = page.find(({ title }) => title === operation.summary);
      const samples = section?.samples ?? [];
      assert.deepEqual(
        samples.slice(0, 3).map(({ language }) => language),
        ['sh', 'ts', 'python'],
      );
      const [shown] = samples.slice(3).map(({ text }) => JSON.parse(text));
      for (const { language, text } of samples.slice(0, 3))
        await run({ operation, response: shown }, language, text);
    });

  itInProofs('shows TypeScript that compiles in a strict project', async () => {
    const all: string[] = [];
    for (const operation of operations)
      for (const { samples } of await pageOf(operation))
        all.push(...samples.filter(({ language }) => language === 'ts').map(({ text }) => text));
    assert.equal(runners.complaints([...new Set(all)]), '');
  });
});

/** The names of what a response has, and in its data. */
function shapeOf(response: unknown): unknown {
  const names = (value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.keys(value).sort()
      : typeof value;
  return [names(response), names(Reflect.get(Object(response), 'data'))];
}
