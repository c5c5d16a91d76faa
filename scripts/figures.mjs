// How much there is to understand: files, lines and characters, mechanisms, and the functions that a request can reach.
//   npx --yes --package=typescript@5.9.3 -- node scripts/figures.mjs [folder of the repository]
// The compiler that builds Airdate has no programming interface, so another one is brought by npx.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative, resolve } from 'node:path';

const root = resolve(process.argv[2] ?? join(import.meta.dirname ?? '.', '..'));
const ts = loadTypeScript();

/** Where each walk through the server begins: an operation, or a function. */
const STARTS = [
  { what: 'POST /posts', operationId: 'createPost' },
  { what: 'publish now', operationId: 'publishPost' },
  { what: 'an upload', operationId: 'completeUpload' },
  { what: 'a webhook', file: 'events/webhooks/deliver.ts', name: 'deliver' },
  { what: 'a search', file: 'posts/search/find.ts', name: 'find' },
  { what: 'a bulk shift', operationId: 'bulkPosts' },
];

const isTest = (file) => /\.test\.tsx?$/.test(file);

console.table(
  Object.fromEntries(
    ['server/src', 'web/src', 'server/test'].map((folder) => [folder, sizeOf(join(root, folder))]),
  ),
);
console.table(Object.fromEntries(reach()));

function loadTypeScript() {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const tsc = join(folder, 'tsc');
    if (!existsSync(tsc)) continue;
    const library = join(dirname(realpathSync(tsc)), '..', 'lib', 'typescript.js');
    if (existsSync(library)) return createRequire(import.meta.url)(library);
  }
  console.error('Run it as the first lines of this file say.');
  return process.exit(1);
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** Tests beside the code are not counted in a folder of sources. */
function sizeOf(folder) {
  const all = filesIn(folder);
  const files = folder.endsWith('test') ? all : all.filter((file) => !isTest(file));
  let [lines, characters] = [0, 0];
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    lines += text.split('\n').length - 1;
    characters += codeOf(text, file).length;
  }
  return { files: files.length, lines, 'characters of code': characters };
}

/** Without comments, SQL and the spaces at the beginning and end of lines. */
function codeOf(text, file) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const left = [];
  const visit = (node) => {
    if (ts.isTaggedTemplateExpression(node) && /^sql\b/.test(node.tag.getText()))
      left.push([node.template.getStart(), node.template.end]);
    ts.forEachChild(node, visit);
    if (node.getChildCount() === 0) {
      for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [])
        left.push([range.pos, range.end]);
      for (const range of ts.getTrailingCommentRanges(text, node.end) ?? [])
        left.push([range.pos, range.end]);
    }
  };
  visit(source);
  let code = '';
  let at = 0;
  for (const [start, end] of left.sort(([a], [b]) => a - b)) {
    if (start > at) code += text.slice(at, start);
    at = Math.max(at, end);
  }
  code += text.slice(at);
  return code
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n');
}

/**
 * The functions with a name that a handler can reach by names: those it calls, and those it hands on. A call through an
 * interface ends there, because its implementation is another part's.
 */
function reach() {
  const folder = join(root, 'server/src');
  const program = ts.createProgram(
    filesIn(folder).filter((file) => !isTest(file)),
    {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      resolveJsonModule: true,
    },
  );
  const checker = program.getTypeChecker();
  const sources = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${folder}/`));
  return STARTS.map(({ what, ...start }) => {
    const found = new Set();
    const from = startOf(start);
    if (!from) return [what, { functions: 'no such start', files: '' }];
    walk(from, found);
    const files = new Set([...found].map((node) => node.getSourceFile().fileName));
    return [what, { functions: found.size, files: files.size }];
  });

  function startOf({ operationId, file, name }) {
    let found;
    const visit = (node) => {
      if (found) return;
      if (operationId && ts.isPropertyAssignment(node) && node.name.getText() === 'operationId') {
        if (ts.isStringLiteral(node.initializer) && node.initializer.text === operationId) {
          let call = node.parent;
          while (call && !ts.isCallExpression(call)) call = call.parent;
          found = call?.arguments.at(-1);
        }
      } else if (name && functionOf(node) && nameOf(node) === name) found = node;
      ts.forEachChild(node, visit);
    };
    for (const source of sources) if (!file || relative(folder, source.fileName) === file) visit(source);
    return found;
  }

  function walk(node, found) {
    const visit = (child) => {
      if (ts.isIdentifier(child)) {
        let symbol = checker.getSymbolAtLocation(child);
        if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
        for (const declaration of symbol?.declarations ?? []) {
          const target = functionOf(declaration);
          if (!target || found.has(target) || !target.getSourceFile().fileName.startsWith(`${folder}/`))
            continue;
          found.add(target);
          walk(target, found);
        }
      }
      ts.forEachChild(child, visit);
    };
    visit(node);
  }

  /** The node itself, if it is a function with a name and a body: a declaration, a method, or a constant that is a function. */
  function functionOf(node) {
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.body) return node;
    if (!ts.isVariableDeclaration(node) || !node.initializer) return null;
    let value = node.initializer;
    // A function that another one was given: a prepared statement, for one.
    if (ts.isCallExpression(value)) value = value.arguments.find((given) => isFunction(given)) ?? value;
    return isFunction(value) ? node : null;
  }

  function isFunction(node) {
    return ts.isArrowFunction(node) || ts.isFunctionExpression(node);
  }

  function nameOf(node) {
    return node.name?.getText();
  }
}
