import { resolve } from 'node:path';
import type { Command } from 'commander';
import { clientOf, targetOf } from '../connection.js';
import { action } from '../context.js';
import { usage } from '../exit.js';
import { isFolder } from '../mcp/file.js';
import { serveStdio } from '../mcp/stdio.js';

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('serve agents over stdio (Model Context Protocol)')
    .option('--files <folder>', 'send only files from this folder')
    .addHelpText(
      'after',
      `
Agent clients start this command. It forwards calls to the service, with the key of the profile or AIRDATE_API_KEY,
and sends images and videos from this computer. An agent can do only what the key may do.

Example of a client's settings:
  { "mcpServers": { "airdate": { "command": "airdate", "args": ["mcp", "--files", "/home/me/posts"] } } }`,
    )
    .action(
      action(async ({ globals, signal }, { files }: { files?: string }) => {
        if (files !== undefined && !isFolder(files)) throw usage(`${files} is not a folder.`);
        const target = targetOf(globals);
        // Agents do not know the folder that they were started in.
        const folder = files === undefined ? undefined : resolve(files);
        await serveStdio({ target, airdate: clientOf(target), folder, signal });
      }),
    );
}
