// The messages of an event stream (text/event-stream), as they arrive.

export interface Message {
  id: string | undefined;
  event: string;
  data: string;
}

/** Not the name of an event: the comment with which the service says that events have expired. */
export const GAP = ': gap';

/** Ends when the stream does. Throws if nothing comes for `silenceMs`: heartbeats come more often. */
export async function* messagesOf(
  body: ReadableStream<Uint8Array>,
  silenceMs: () => number,
): AsyncGenerator<Message, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await within(silenceMs(), reader.read());
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const message = messageIn(block);
        if (message) yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function messageIn(block: string): Message | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^(\w+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data' && fields.data !== undefined) fields.data += `\n${value}`;
    else if (name) fields[name] = value;
  }
  if (fields.data === undefined) {
    const [, comment] = /^: ?(gap\b.*)$/m.exec(block) ?? [];
    return comment === undefined ? undefined : { id: undefined, event: GAP, data: comment };
  }
  return { id: fields.id, event: fields.event ?? 'message', data: fields.data };
}

function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The stream is silent.')), ms);
  });
  return Promise.race([promise, silence]).finally(() => clearTimeout(timer));
}
