// A file name is untrusted input. It is stored and shown as it is, and never becomes a path.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { type TestService, useService } from '../support/service/harness.js';
import { assertRefused } from '../support/service/posts.js';
import {
  askForUpload,
  download,
  filesIn,
  grant,
  listAssets,
  media,
  upload,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

const PLAIN = [
  'canary',
  'etc/passwd',
  'orgs/x/posts/y/slides/z.png',
  'drafts/abc',
  'thumbnails/a.webp',
  'files',
  'airdate.db',
  'CON',
  'nul.png',
  'COM1.jpg',
  'aux .png',
  '*.png',
  '~root',
  '$HOME',
  '`id`',
];
const PREFIXES = [
  '',
  '../',
  '../../../../../../../../',
  '..\\',
  '..\\..\\..\\',
  '%2e%2e%2f',
  '%2e%2e/',
  '..%5c',
  '%252e%252e%252f',
  '....//',
  '/',
  'C:\\',
  '\\\\server\\share\\',
];
const STRANGE = [
  '.',
  '..',
  '...',
  '.png',
  '.htaccess',
  '..png',
  '/',
  '\\',
  '//',
  ' ',
  '-',
  '--help',
  '-rf.png',
  'a\r\nSet-Cookie: a=b.png',
  'a\nb.png',
  'a\tb.png',
  '"quoted".png',
  "it's.png",
  'a";filename="b.html',
  'a;b.png',
  '<script>alert(1)</script>.png',
  '?signature=1&expires=2',
  '#fragment',
  '\u202egnp.exe',
  'a\u200bb\ufeff.png',
  'été à Noël.png',
  'e\u0301te\u0301.png',
  'ﬁle…ⅷ．．／.png',
  '日本語.png',
  'صورة.png',
  '🎬🎉.png',
  '👩‍👩‍👧.png',
  'a.png.exe',
  'a.png/',
  'archive.tar.gz',
  'a'.repeat(1024),
  '../'.repeat(341),
  'é'.repeat(1024),
  '🎬'.repeat(1024),
  '.'.repeat(1024),
  ';rm -rf /;.png',
  '\u0001\u0002\u001b[31m.png',
  '\u0085\u2028\u2029.png',
  '__proto__',
  'constructor',
];
/** On ordinary days each name as it is and behind one prefix, in the proofs each with each. */
const NAMES = [
  ...PLAIN,
  ...PLAIN.flatMap((name) => everyday(1, PREFIXES.slice(1), name).map((prefix) => prefix + name)),
  ...STRANGE,
];
/** More would need another post: it takes 35 slides. */
const PER_POST = 30;

onEngines('sqlite', 'The file name of an upload', (engine) => {
  // A few folders deep, so that a file that escapes the store still lands where this test looks.
  const outside = mkdtempSync(join(tmpdir(), 'airdate-names-'));
  const dataDir = join(outside, 'a', 'b', 'data');
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(outside, 'canary'), 'untouched');
  writeFileSync(join(outside, 'a', 'canary'), 'untouched');
  const { command, env } = WITHOUT_WORKER;
  const service = useService(engine, { command: command ?? 'api', env: { ...env, DATA_DIR: dataDir } });
  after(() => rmSync(outside, { recursive: true, force: true }));

  it('never becomes a path: keys are safe and nothing outside of the store is touched', async () => {
    assert.ok(NAMES.length >= everyday(70, 200), `${NAMES.length} names`);
    const org = await service.newOrganization();
    const before = await fingerprints(outside, service);
    const keys = new Set<string>();
    let id = '';
    for (const [i, filename] of NAMES.entries()) {
      if (i % PER_POST === 0) id = await org.addPost();
      const ask = i % 8 === 0 ? upload(org, id, 'slide.png', { filename }) : grant(org, id, named(filename));
      const { object_key } = await ask;
      const said = JSON.stringify(filename);
      assert.match(object_key, /^orgs\/[0-9a-f-]{36}\/posts\/[0-9a-f-]{36}\/slides\/[^/]+$/, said);
      assert.ok(object_key.startsWith(`orgs/${org.id}/posts/${id}/`), said);
      assert.match(object_key, /\/\w[\w-]{0,95}\.png$/, said);
      keys.add(object_key);
    }
    assert.equal(keys.size, NAMES.length);
    assert.deepEqual(await fingerprints(outside, service), before);
  });

  it('is shown as it was given, and the file can be downloaded whatever its name', async () => {
    const org = await service.newOrganization();
    for (const names of [STRANGE.slice(0, PER_POST), STRANGE.slice(PER_POST)]) {
      const id = await org.addPost();
      for (const filename of names) await upload(org, id, 'slide.png', { filename });
      const { data } = await listAssets(org, id);
      assert.deepEqual(
        data.map(({ filename }) => filename),
        names,
      );
      for (const { url, object_key } of data) {
        const { response, bytes } = await download(url);
        assert.equal(response.status, 200);
        assert.deepEqual(bytes, media('slide.png'));
        const name = object_key.split('/').at(-1);
        assert.equal(response.headers.get('content-disposition'), `attachment; filename="${name}"`);
      }
    }
  });

  it('has at most 1024 characters, and no NUL or broken text in it', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    for (const filename of [
      'a'.repeat(1025),
      '🎬'.repeat(1025),
      'a'.repeat(4096),
      'a\0.png',
      '\0',
      '\ud800.png',
    ])
      assertRefused(await askForUpload(org, id, named(filename)), 'filename');
  });
});

const named = (filename: string) => ({ filename, content_type: 'image/png' as const });

/** All files that belong neither to the store nor to the database. */
async function fingerprints(folder: string, { app }: TestService): Promise<Record<string, string>> {
  const ours = `${app.config.dataDir.slice(folder.length + 1)}/`;
  const files = (await filesIn(folder)).filter(
    (file) => !file.startsWith(`${ours}files/`) && !file.startsWith(`${ours}airdate.db`),
  );
  const hash = async (file: string) =>
    createHash('sha256')
      .update(await readFile(join(folder, file)))
      .digest('hex');
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await hash(file)])));
}
