// Which program this is, for logs and metrics.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const PACKAGE = new URL('../../../package.json', import.meta.url);

export const VERSION: string = JSON.parse(readFileSync(PACKAGE, 'utf8')).version;

/** Which process of an installation: the name of its machine or container, and its process id there. */
export const INSTANCE = `${hostname()}:${process.pid}`;
