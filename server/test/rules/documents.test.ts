// The documents are true about the repository, and its files stay below their size limits.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { QUOTAS, quotaVariable } from '../../src/config/quotas.js';
import { PLANS } from '../../src/quotas/plans.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const MAX_LINES = 300;

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The text of a document, or a failure that says which one is missing. */
function documentText(path: string): string {
  assert.ok(existsSync(join(ROOT, path)), `${path} is missing`);
  return read(path);
}

function filesUnder(dir: string): string[] {
  if (!existsSync(join(ROOT, dir))) return [];
  return readdirSync(join(ROOT, dir)).flatMap((name) => {
    const path = join(dir, name);
    if (/^(node_modules|dist|data|\.git)$/.test(name)) return [];
    return statSync(join(ROOT, path)).isDirectory() ? filesUnder(path) : [path];
  });
}

const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'web/README.md',
  'sdk/README.md',
  'cli/README.md',
  'deploy/README.md',
  ...filesUnder('docs').filter((file) => file.endsWith('.md')),
];

describe('the documents', () => {
  for (const path of DOCUMENTS)
    it(`name only files that exist: ${path}`, () => {
      const gone = mentionedPaths(documentText(path)).filter(
        (mentioned) => !exists(mentioned, dirname(path)),
      );
      assert.deepEqual(gone, []);
    });

  it('keep ARCHITECTURE.md under 200 lines', () => {
    assert.ok(documentText('ARCHITECTURE.md').trimEnd().split('\n').length < 200);
  });
});

describe('the configuration', () => {
  it('is listed completely in .env.example and in its guide, and nothing else is', () => {
    const variables = configVariables();
    assert.ok(variables.length > 15, 'the variables are found');
    const example = [...documentText('.env.example').matchAll(/^#?\s?([A-Z][A-Z0-9_]+)=/gm)].map(
      ([, name]) => name,
    );
    assert.deepEqual([...new Set(example)].sort(), variables, '.env.example');
    const rows = documentText('docs/guides/configuration.md').matchAll(
      /^\|\s*((?:`[A-Z][A-Z0-9_]+`[,\s/]*)+)\|/gm,
    );
    const table = [...rows].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    assert.deepEqual([...new Set(table)].sort(), variables, 'the table in the guide');
  });
});

describe('the repository', () => {
  it('installs from any registry: no host in package-lock.json, and a checksum for every package', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }>;
    };
    const installed = Object.entries(packages).filter(
      ([path, { link }]) => path.includes('node_modules/') && !link,
    );
    assert.ok(installed.length > 100);
    const hosts = Object.entries(packages).filter(([, { resolved }]) => resolved?.includes('://'));
    assert.deepEqual(
      hosts.map(([path]) => path),
      [],
    );
    const unchecked = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    assert.deepEqual(
      unchecked.map(([path]) => path),
      [],
    );
  });

  it(`has no source file over ${MAX_LINES} lines`, () => {
    const sources = [
      'server/src',
      'sandbox/src',
      'sdk/src',
      'cli/src',
      'web/src',
      'docs/src',
      'bench',
      'scripts',
    ]
      .flatMap(filesUnder)
      .filter((file) => /\.(m?[jt]sx?)$/.test(file) && !/\.gen\.ts$/.test(file));
    assert.ok(sources.length > 50);
    const long = sources.map((file) => [file, read(file).trimEnd().split('\n').length] as const);
    assert.deepEqual(
      long.filter(([, lines]) => lines > MAX_LINES),
      [],
    );
  });
});

/** Every variable that config.ts reads. */
function configVariables(): string[] {
  const found = ['config', 'platform']
    .map((name) => read(`server/src/config/${name}.ts`))
    .join()
    .matchAll(/\bread\.\w+(?:<[^>]*>)?\(\s*'([A-Z][A-Z0-9_]+)'/g);
  const quotas = QUOTAS.flatMap((name) => PLANS.map((plan) => quotaVariable(name, plan)));
  return [...new Set([...[...found].map(([, name]) => name as string), ...quotas])].sort();
}

/** Links and code in backticks that look like a file or folder of this repository. */
function mentionedPaths(markdown: string): string[] {
  const prose = markdown.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '');
  const links = [...prose.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
    .map(([, target]) => target as string)
    // Those of the running product are checked with the built site.
    .filter((target) => !/^([a-z]+:|\/)/i.test(target));
  const quoted = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text as string).filter(looksLikePath);
  return [...new Set([...links, ...quoted])];
}

const topLevel = readdirSync(ROOT);

/** Not an API path, a pattern, a command or a package: a path that begins or ends like one of the repository. */
function looksLikePath(text: string): boolean {
  if (!/^(\.{0,2}\/)?[\w.-]+(\/[\w.-]+)*\/?$/.test(text) || text.startsWith('/')) return false;
  const [first = ''] = text.replace(/^\.\//, '').split('/');
  if (text.includes('/') && topLevel.includes(first)) return !/^(data|node_modules)$/.test(first);
  return (
    /\w\.(ts|md|mjs|html|ya?ml)$/.test(text) ||
    /^(package|package-lock|biome|tsconfig[\w.]*|openapi)\.json$/.test(text)
  );
}

/** From the root, from the document's folder, or inside one of the workspaces' sources. */
function exists(mentioned: string, folder: string): boolean {
  const places = [
    '',
    folder,
    'server',
    'server/src',
    'server/test',
    'sandbox',
    'sandbox/src',
    'sdk',
    'sdk/src',
    'cli/src',
    'web',
    'web/src',
    'bench',
  ];
  if (places.some((place) => existsSync(join(ROOT, place, mentioned)))) return true;
  return !mentioned.includes('/') && everyFile().some((file) => file.endsWith(`/${mentioned}`));
}

let all: string[] | undefined;
function everyFile(): string[] {
  all ??= ['server', 'sdk', 'cli', 'web', 'bench', 'scripts', 'docs'].flatMap(filesUnder);
  return all;
}
