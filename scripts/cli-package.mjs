// Packs the command line and the SDK as they are published, and tells a story with them in a folder that has nothing else, on this
// Node and the newer ones: `airdate` and `airdate mcp` carry a carousel and a video from nothing to live.
//   node scripts/cli-package.mjs
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, startProduct } from './product.mjs';
import { cannotFetchNode, fetchPackages, nodePackage } from './registry.mjs';

const NODES = [20, 22, 24];
const FILES = ['scripts/cli/story.mjs', 'server/test/media/slide.png', 'server/test/media/tiny.mp4'];

/** Its file, as `npm publish` would send it. */
function pack(workspace, dir) {
  const args = ['pack', '--silent', '--pack-destination', dir];
  const said = execFileSync('npm', args, { cwd: join(root, workspace), encoding: 'utf8' });
  return join(dir, said.trim().split('\n').at(-1));
}

async function meet(dir) {
  const project = join(dir, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  for (const path of FILES) cpSync(join(root, path), join(project, path.slice(path.lastIndexOf('/') + 1)));
  await fetchPackages(project, [pack('sdk', dir), pack('cli', dir)]);
  const tools = join(dir, 'tools');
  mkdirSync(tools);
  await fetchPackages(
    tools,
    NODES.map((major) => `node-${major}@npm:${nodePackage(major)}`),
  );
  const product = await startProduct('serve', process.execPath, dir, { SANDBOX_PROCESSING_MS: '0' });
  try {
    for (const major of NODES) {
      const bin = join(tools, 'node_modules', `node-${major}`, 'bin');
      const child = spawn(join(bin, 'node'), ['story.mjs'], {
        cwd: project,
        // The installed command finds this Node first.
        env: { PATH: `${bin}:${process.env.PATH}`, HOME: project, URL: product.url, KEY: product.key },
        stdio: 'inherit',
        // Only to notice a hang.
        timeout: 300_000,
      });
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error(`the story on Node ${major} ended with ${code}`);
      process.stdout.write(`the command line: a story on Node ${major}\n`);
    }
  } finally {
    await product.stop();
  }
}

if (cannotFetchNode) {
  process.stdout.write(`NOT RUN: ${cannotFetchNode}.\n`);
} else {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-cli-'));
  try {
    await meet(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
