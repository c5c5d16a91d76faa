// MCP over stdio: each line is a message. The tools are the service's; only that which takes a path is answered here.
import { createInterface } from 'node:readline';
import type { Airdate } from '@airdate/sdk';
import type { Target } from '../connection.js';
import { Forwarder } from './forward.js';
import { addMedia, MEDIA_TOOL, withPath } from './media-tool.js';
import { isCall, isRequest, type Message } from './messages.js';

interface Service {
  target: Target;
  airdate: Airdate;
  folder: string | undefined;
  signal: AbortSignal;
}

export async function serveStdio({ target, airdate, folder, signal }: Service): Promise<void> {
  const forwarder = new Forwarder(target);
  const media = { forwarder, airdate, folder };
  const running = new Map<unknown, AbortController>();
  const open = new Set<Promise<void>>();

  const answer = async (message: Message): Promise<void> => {
    const cancelled = new AbortController();
    if (isRequest(message)) running.set(message.id, cancelled);
    const either = AbortSignal.any([signal, cancelled.signal]);
    try {
      const isMedia = isRequest(message) && isCall(message) && message.params?.name === MEDIA_TOOL;
      const reply = isMedia ? await addMedia(media, message, either) : await forwarder.send(message, either);
      if (reply === undefined || cancelled.signal.aborted) return;
      write(
        message.method === 'tools/list' && reply.result
          ? { ...reply, result: withPath(reply.result, folder) }
          : reply,
      );
    } finally {
      if (running.get(message.id) === cancelled) running.delete(message.id);
    }
  };

  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  signal.addEventListener('abort', () => lines.close());
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const message = parsed(line);
    if (message === undefined) {
      write({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32700, message: 'Each line is one JSON-RPC message.' },
      });
      continue;
    }
    if (message.method === 'notifications/cancelled') running.get(message.params?.requestId)?.abort();
    // A client of 2025 waits for the answer to `initialize`; all others may overlap.
    const answered = answer(message).finally(() => open.delete(answered));
    open.add(answered);
  }
  await Promise.all(open);
}

function write(message: Message): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function parsed(line: string): Message | undefined {
  try {
    const message = JSON.parse(line);
    return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
