// One client of the event stream. When the stream ends it connects again and continues after the last event, as EventSource does.
import { setTimeout as delay } from 'node:timers/promises';

const RECONNECT_MS = 200;

export class EventStream {
  /** How often each post was reported as created, by its id. */
  created = new Map();
  interruptions = 0;
  #client;
  #tally;
  #ports;
  #last = null;
  #stopped = false;
  #running;
  #response = null;

  /** `ports` are those of the proxies, the preferred one first. */
  constructor(client, tally, ports) {
    this.#client = client;
    this.#tally = tally;
    this.#ports = ports;
  }

  /** Resolves when the first stream is open: later events must all arrive. */
  start() {
    return new Promise((resolve) => {
      this.#running = this.#run(resolve);
    });
  }

  async stop() {
    this.#stopped = true;
    this.#response?.destroy();
    await this.#running;
  }

  async #run(onOpen) {
    while (!this.#stopped) {
      const record = this.#tally.start('stream');
      const response = await this.#connect().catch((error) => {
        this.#tally.finish(record, { kind: `stream ${error.code ?? error.message}`, isPolite: false });
        return null;
      });
      if (response?.statusCode === 200) {
        this.#tally.finish(record, null);
        await this.#read(response, onOpen);
        this.interruptions++;
      } else if (response) {
        const { statusCode, headers } = response;
        response.resume();
        const isPolite = statusCode === 503 && headers['retry-after'] !== undefined;
        this.#tally.finish(record, { kind: `stream ${statusCode}`, isPolite });
      }
      if (!this.#stopped) await delay(RECONNECT_MS);
    }
  }

  async #connect() {
    const headers = { accept: 'text/event-stream', ...(this.#last ? { 'last-event-id': this.#last } : {}) };
    for (const [i, port] of this.#ports.entries())
      try {
        return await this.#client.open(port, '/api/v1/events', headers);
      } catch (error) {
        if (error.code !== 'ECONNREFUSED' || i === this.#ports.length - 1) throw error;
      }
  }

  async #read(response, onOpen) {
    this.#response = response;
    let rest = '';
    try {
      for await (const chunk of response.setEncoding('utf8')) {
        onOpen();
        const messages = (rest + chunk).split('\n\n');
        rest = messages.pop();
        for (const message of messages) this.#take(message);
      }
    } catch {
      // The connection broke; the next stream continues.
    }
  }

  #take(message) {
    const id = /^id: (.+)$/m.exec(message)?.[1];
    if (id) this.#last = id;
    if (!/^event: post\.created$/m.test(message)) return;
    const event = JSON.parse(/^data: (.+)$/m.exec(message)[1]);
    const postId = event.data.post_id;
    this.created.set(postId, (this.created.get(postId) ?? 0) + 1);
  }
}
