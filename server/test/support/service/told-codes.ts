// Whatever a service under test refuses, it refuses with a code that the operation tells in the document.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type Document, type Operation, operationsOf, type Schema } from './routes.js';
import type { Answer } from './send.js';

const DOCUMENT = new URL('../../../../../sdk/openapi.json', import.meta.url);

interface DeclaredCodes {
  pattern: RegExp;
  codes: readonly unknown[];
}

let known: Map<string, DeclaredCodes[]> | null = null;

/** Fails if a refusal has a code that its operation does not tell. */
export function demandToldCode(method: string, url: string, { headers, json }: Answer): void {
  if (!headers.get('content-type')?.startsWith('application/problem+json')) return;
  known ??= readDeclaredCodes();
  const { pathname } = new URL(url);
  const declared = known.get(method)?.find(({ pattern }) => pattern.test(pathname));
  if (declared)
    assert.ok(declared.codes.includes(json.code), `${method} ${pathname} does not tell of ${json.code}`);
}

function readDeclaredCodes(): Map<string, DeclaredCodes[]> {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document;
  // Before a path with a parameter comes one that has a word in its place.
  const operations = operationsOf(document).sort((a, b) => (a.path < b.path ? -1 : 1));
  const declared = new Map<string, DeclaredCodes[]>();
  for (const operation of operations) {
    const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    const ofMethod = declared.get(operation.method) ?? [];
    declared.set(operation.method, [...ofMethod, { pattern, codes: toldCodes(operation) }]);
  }
  return declared;
}

/** The codes that an operation tells, those within a success too, as in a result for each of many posts. */
export const toldCodes = ({ responses }: Operation): unknown[] =>
  Object.values(responses).flatMap(({ content = {} }) => [
    ...codesWithin(content['application/problem+json']?.schema),
    ...codesWithin(content['application/json']?.schema),
  ]);

function codesWithin(schema: Schema | undefined): unknown[] {
  const { properties = {}, items, allOf = [] } = schema ?? {};
  return [
    ...allOf.flatMap((one) => one.properties?.code?.enum ?? []),
    ...[...Object.values(properties), ...(items ? [items] : [])].flatMap(codesWithin),
  ];
}
