// What a process says when it is ready and when it has stopped: words on a terminal, and log lines in JSON where lines are
// collected, so that every line of the output can be parsed. A start that fails says why in words, on stderr.
import type { Config } from './config/config.js';
import { announce, flushLog, type Log } from './core/log.js';
import type { Service } from './service.js';

export function printReady(service: Service, config: Config): void {
  if (config.logHuman) process.stdout.write(`${readyLines(service, config).join('\n')}\n`);
  else announceReady(service, config);
}

/** Resolves when the line is written. */
export async function printStopped(log: Log, { command, logHuman }: Config, signal: string): Promise<void> {
  const line = `Airdate (${command}) stopped on ${signal}`;
  if (logHuman) return new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
  announce(log, { signal }, line);
  await flushLog(log);
}

const readyLine = ({ url }: Service, { command }: Config) => `Airdate (${command}) is ready at ${url}`;
const docsOf = ({ url }: Service) => `${url}/docs`;
const hasDocs = ({ command }: Config) => command === 'serve' || command === 'api';
const hasSandbox = ({ command, socialApiUrl }: Config) => command === 'serve' && socialApiUrl === null;

/**
 * The key of the demo and the link into the dashboard are printed here too: the contract promises them at the first start, and an
 * operator without a terminal has no other place to find them. Both are of the demo alone; DEMO=off creates neither.
 */
function announceReady(service: Service, config: Config): void {
  const { log, url, demo, entryLink } = service;
  if (demo)
    announce(log, { api_key: demo.key }, 'A demo organization was created. Its API key is shown only once');
  if (entryLink) announce(log, { link: entryLink }, 'This link signs in to the dashboard. It works once');
  const docs = hasDocs(config) ? { docs: docsOf(service) } : {};
  const sandbox = hasSandbox(config) ? { sandbox: `${url}/sandbox/` } : {};
  // A space follows the address in JSON too: a script that reads the address up to the next space works with both formats.
  const seconds = process.uptime().toFixed(1);
  announce(log, { url, ...docs, ...sandbox }, `${readyLine(service, config)} after ${seconds} s`);
}

function readyLines(service: Service, config: Config): string[] {
  const lines = [readyLine(service, config)];
  if (hasDocs(config)) lines.push(`Documentation: ${docsOf(service)}`);
  if (hasSandbox(config)) lines.push(`Published posts appear at: ${service.url}/sandbox/`);
  if (service.demo)
    lines.push(
      '',
      'A demo organization was created, in its trial. Its API key is shown only once:',
      '',
      `  ${service.demo.key}`,
      '',
      `Try it:  curl -H "Authorization: Bearer ${service.demo.key}" ${service.url}/api/v1/me`,
    );
  if (service.entryLink)
    lines.push(
      '',
      'To sign in to the dashboard, open this link. It works once:',
      '',
      `  ${service.entryLink}`,
    );
  return lines;
}
