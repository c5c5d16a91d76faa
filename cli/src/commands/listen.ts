import { createHmac, randomBytes } from 'node:crypto';
import type { Event, EventType } from '@airdate/sdk';
import type { Command } from 'commander';
import { action } from '../context.js';
import { eventTypeOption } from '../event-types.js';
import { usage } from '../exit.js';
import { column } from '../output.js';

/** As long as the service waits for an endpoint. */
const TIMEOUT_MS = 15_000;
const PREFIX = 'whsec_';

interface Forwarded {
  event_id: string;
  type: string;
  /** 0 if no answer came. */
  status: number;
  ms: number;
}

const COLUMNS = [
  column<Forwarded>('EVENT', ({ event_id }) => event_id, 14),
  column<Forwarded>('TYPE', ({ type }) => type, 21),
  column<Forwarded>('STATUS', ({ status }) => status || 'none', 6),
  column<Forwarded>('TIME', ({ ms }) => `${ms} ms`),
];

export function addListen(program: Command): void {
  program
    .command('listen')
    .description('send events to a URL on this computer, signed like webhooks')
    .requiredOption('--forward-to <url>', 'where to send them')
    .addOption(eventTypeOption())
    .option('--after <event>', 'begin after this event instead of now')
    .addHelpText(
      'after',
      `
Try out a webhook receiver without a public URL. Each event is sent once. The secret for verifying signatures is
printed first; set AIRDATE_LISTEN_SECRET to use the same one every time.

Example:
  $ airdate listen --forward-to http://localhost:8080/airdate`,
    )
    .action(
      action(
        async (
          { airdate, output, signal },
          options: { forwardTo: string; type?: EventType[]; after?: string },
        ) => {
          const { forwardTo, type: types, after } = options;
          if (!URL.canParse(forwardTo) || !/^https?:$/.test(new URL(forwardTo).protocol))
            throw usage('The URL must begin with http:// or https://.');
          const given = process.env.AIRDATE_LISTEN_SECRET;
          if (given !== undefined && !/^whsec_[\w+/]{32,}={0,2}$/.test(given))
            throw usage('AIRDATE_LISTEN_SECRET must be whsec_ followed by at least 24 bytes in Base64.');
          const secret = given ?? PREFIX + randomBytes(32).toString('base64');
          if (given === undefined) process.stderr.write(`The secret is ${secret}\n`);
          output.say(`Sending events to ${forwardTo}. Press Ctrl-C to stop.`);
          for await (const event of airdate.events.follow({ after, signal })) {
            if (types && !types.includes(event.type)) continue;
            const forwarded = await forward(event, forwardTo, secret, signal);
            output.row(forwarded, COLUMNS);
            if (forwarded.status === 0) output.warn(`${forwardTo} did not answer: is your program running?`);
          }
        },
      ),
    );
}

async function forward(event: Event, url: string, secret: string, signal: AbortSignal): Promise<Forwarded> {
  const { id: event_id, type, created_at, data } = event;
  const id = `msg_${event_id}`;
  const body = JSON.stringify({ id, type, timestamp: created_at, data, event_id });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  const start = performance.now();
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  const limits = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const status = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: limits }).then(
    async (response) => {
      await response.body?.cancel();
      return response.status;
    },
    () => 0,
  );
  return { event_id, type, status, ms: Math.round(performance.now() - start) };
}
