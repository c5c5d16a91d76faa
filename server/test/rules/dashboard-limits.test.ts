// The dashboard refuses a file, and counts a text, before it asks the API, so it has copies of the server's limits. They are the same.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { KINDS, kindOf, MAX_SLIDES } from '../../src/assets/limits.js';
import type { Draft } from '../../src/connectors/connector.js';
import { textFindings } from '../../src/connectors/tiktok/checks.js';
import type { Schema } from '../support/service/routes.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

type PostType = 'slides' | 'video';

/** The parts of the compiled dashboard that have such limits. */
interface Dashboard {
  files: {
    MAX_SLIDES: number;
    contentTypeOf(file: { type: string; name: string }, postType: PostType): string | undefined;
    refusalOf(file: { type: string; name: string; size: number }, postType: PostType): string | undefined;
  };
  fields: { LIMITS: Record<string, number> };
  texts: {
    counterOf(
      field: string,
      written: { postType: PostType; mode: 'direct'; fields: Record<string, string> },
    ): { tone?: string };
  };
  labels: { MAX_LABELS: number; MAX_NAME: number };
  snippets: { MAX_NAME: number };
  archiving: { MAX_PER_REQUEST: number };
}

const load = (path: string) => import(pathToFileURL(join(ROOT, 'web/dist-test/src', path)).href);
const dashboard: Dashboard = {
  files: await load('uploads/limits.js'),
  fields: await load('composer/fields.js'),
  texts: await load('composer/sent-text.js'),
  labels: await load('labels/label.js'),
  snippets: await load('snippets/kinds.js'),
  archiving: await load('post/archiving.js'),
};

const { paths } = JSON.parse(readFileSync(join(ROOT, 'sdk/openapi.json'), 'utf8')) as {
  paths: Record<
    string,
    Record<string, { requestBody: { content: { 'application/json': { schema: Schema } } } }>
  >;
};
const fieldsOf = (method: string, path: string): Record<string, Schema> =>
  paths[path]?.[method]?.requestBody.content['application/json'].schema.properties ?? {};

const POST_TYPES: PostType[] = ['slides', 'video'];

describe('the dashboard', () => {
  it('takes files of the same types and sizes, and as many slides', () => {
    const types = Object.values(KINDS).flatMap(({ extensions }) => Object.keys(extensions));
    assert.ok(types.length > 4, 'the types are found');
    for (const postType of POST_TYPES) {
      const { extensions, maxLength } = KINDS[kindOf(postType)];
      const isTaken = (type: string) =>
        dashboard.files.contentTypeOf({ type, name: 'file' }, postType) !== undefined;
      const taken = [...types, 'image/webp', 'image/gif', 'video/x-matroska', ''].filter(isTaken);
      assert.deepEqual(taken.sort(), Object.keys(extensions).sort());
      for (const [type, extension] of Object.entries(extensions)) {
        const refusal = (size: number) =>
          dashboard.files.refusalOf({ type, name: `file.${extension}`, size }, postType);
        assert.equal(refusal(maxLength), undefined);
        assert.ok(refusal(maxLength + 1), `${type} over ${maxLength} bytes is refused`);
        assert.equal(dashboard.files.contentTypeOf({ type: '', name: `a.${extension}` }, postType), type);
      }
    }
    assert.equal(dashboard.files.MAX_SLIDES, MAX_SLIDES);
  });

  it('takes texts of the same lengths, and as many labels', () => {
    const post = fieldsOf('post', '/api/v1/posts');
    const { LIMITS } = dashboard.fields;
    assert.deepEqual(
      LIMITS,
      Object.fromEntries(Object.keys(LIMITS).map((name) => [name, post[name]?.maxLength])),
    );
    assert.deepEqual(
      [dashboard.labels.MAX_LABELS, dashboard.labels.MAX_NAME, dashboard.snippets.MAX_NAME],
      [
        post.labels?.maxItems,
        fieldsOf('post', '/api/v1/labels').name?.maxLength,
        fieldsOf('post', '/api/v1/snippets').name?.maxLength,
      ],
    );
    assert.equal(dashboard.archiving.MAX_PER_REQUEST, fieldsOf('patch', '/api/v1/posts/batch').ids?.maxItems);
  });

  it('warns of the texts that the connector would not send', () => {
    const written = { title: 'A', caption: 'A', hashtags: '' };
    // On both sides of every limit, so a limit that differs is found. Hashtags and the blank line before them count with the caption.
    const cases = [
      ...[90, 91].map((length) => ['title', 'title_not_sent', { title: 'a'.repeat(length) }] as const),
      ...[2200, 2201, 4000, 4001].map(
        (length) => ['caption', 'caption_too_long', { hashtags: 'a'.repeat(length - 3) }] as const,
      ),
    ];
    for (const postType of POST_TYPES) {
      const found = cases.filter(([field, code, texts]) => {
        const fields = { ...written, ...texts };
        const isRefused = textFindings(draftWith(postType, fields)).some((finding) => finding.code === code);
        const { tone } = dashboard.texts.counterOf(field, { postType, mode: 'direct', fields });
        assert.equal(tone !== undefined, isRefused, `${field} of ${postType} with ${JSON.stringify(texts)}`);
        return isRefused;
      });
      assert.ok(found.length > 0 && found.length < cases.length, 'some are refused');
    }
  });
});

const draftWith = (type: PostType, fields: { title: string; caption: string; hashtags: string }): Draft => ({
  type,
  mode: 'direct',
  privacyLevel: 'SELF_ONLY',
  disableComment: false,
  disableDuet: false,
  disableStitch: false,
  isBrandedContent: false,
  isOwnBrand: false,
  ...fields,
});
