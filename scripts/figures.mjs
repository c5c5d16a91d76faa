// How much there is to understand, as tables: the sizes of the sources, the circles of files, and the functions that one request,
// upload or delivery can reach. The same tree always prints the same; two commits are compared by printing both with one script.
//   node scripts/figures.mjs [folder of a repository, with its node_modules]
//   node scripts/figures.mjs . 'publish now'     lists what is reached; 'circles' lists the files in circles
//
// Sizes: files, lines and characters as they are on disk. "Code" is what is left without unit tests, comments, SQL and empty lines;
// it means something only for a tree that Biome has formatted, so that nothing is gained by long lines.
//
// Circles: groups of files of which each imports the others, directly or through others, types included.
//
// Reached: the functions of server/src with a name (declarations, methods, constructors, accessors, functions bound to a constant
// or to a property) that a start uses by name, and those that these use, and so on. A function that is passed on as a value counts
// as used; one without a name is part of the function around it. A constant that holds no function, such as a table of them, is
// followed but not counted. A call through an interface continues in its implementation if there is exactly one. It ends at the
// three ports, which are the interfaces of db/, object-store/ and connectors/, and at packages.
import { join, resolve } from 'node:path';
import { circlesIn } from './figures/circles.mjs';
import { reachedFrom } from './figures/reach.mjs';
import { sizeOf } from './figures/size.mjs';

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));

/** Each start is a list of what has to be found in the sources: the handler of an operation or a route, or a plan of the worker. */
const STARTS = {
  'POST /posts': [{ operationId: 'createPost' }],
  'publish now': [{ operationId: 'publishPost' }],
  'an upload: PUT and confirm': [{ route: 'put /storage/*' }, { operationId: 'completeUpload' }],
  'a webhook delivery': [{ plan: 'webhooks' }],
  'a search: GET /posts?q=': [{ operationId: 'listPosts' }],
  'a bulk shift': [{ operationId: 'bulkPosts' }],
};

const only = process.argv[3];
if (only === undefined) {
  table(['server/src', 'web/src', 'server/test'], (folder) => sizeOf(join(root, folder)));
  table(['server', 'web', 'sdk'], (workspace) => {
    const circles = circlesIn(join(root, workspace));
    return { 'circles of files': circles.length, 'files in them': circles.flat().length };
  });
  const reached = reachedFrom(join(root, 'server'), STARTS);
  table(Object.keys(STARTS), (start) => {
    const files = new Set(reached[start].map(({ file }) => file));
    return { functions: reached[start].length, files: files.size };
  });
} else if (only === 'circles') {
  for (const workspace of ['server', 'web', 'sdk'])
    for (const files of circlesIn(join(root, workspace))) console.log(`${workspace}: ${files.join(' ')}`);
} else {
  const reached = reachedFrom(join(root, 'server'), { [only]: STARTS[only] });
  for (const { file, name } of reached[only]) console.log(`${file} ${name}`);
}

function table(names, row) {
  console.table(Object.fromEntries(names.map((name) => [name, row(name)])));
}
