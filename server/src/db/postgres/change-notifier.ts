// Notifies other processes of changes, by LISTEN and NOTIFY.
//
// Changes are gathered for a moment after the commit and then sent, not in the transaction: a transaction that notifies
// takes a cluster-wide lock when it commits, so commits would run one at a time. The price: a process that is killed in
// that moment has sent nothing. What must not be lost is an event, and events are read from their table.
import type pg from 'pg';
import { type Log, toLogFields } from '../../core/log.js';
import { type Change, ChangeListeners, type Listener, mergeChange } from '../changes.js';
import { CHANNEL, createListener, createPollingListener } from './listener.js';
import { createNotificationHealth } from './notification-health.js';

const GATHER_MS = 50;
const TRY_AGAIN_MS = 1_000;
/** A message may have 8,000 bytes. */
const POSTS_PER_MESSAGE = 180;
/** More messages than this are dropped instead of being sent later. */
const MAX_UNSENT = 1_000;

export interface ChangeNotifier {
  notify(changes: readonly Change[]): void;
  listen(listener: Listener): Promise<() => void>;
  /** Whether changes are polled for, because notifications do not arrive. */
  isPolling(): boolean;
  close(): Promise<void>;
}

/** What a process sends itself to find out whether it hears. */
interface Echo {
  from: string;
  echo: true;
}

interface Message {
  from: string;
  org: string;
  posts: string[];
  accounts: boolean;
  labels: boolean;
  snippets: boolean;
  members: boolean;
  events: boolean;
}

/** `listenUrl` is where a connection can listen; null: nowhere. */
export function createChangeNotifier(listenUrl: string | null, pool: pg.Pool, log: Log): ChangeNotifier {
  /** Identifies this process and handle: its own messages are ignored, because its listeners have been told already. */
  const self = `${process.pid}.${Math.random().toString(36).slice(2)}`;
  const listeners = new ChangeListeners();
  const health = createNotificationHealth(log, listeners);
  const receive = (text: string) => {
    const message = JSON.parse(text) as Message | Echo;
    if (message.from === self && 'echo' in message) health.confirm();
    if (message.from === self || 'echo' in message) return;
    const { from: _from, org, ...what } = message;
    const changes = new Map<string, Change>();
    mergeChange(changes, org, what);
    listeners.notify([...changes.values()]);
  };
  // The pool reads the files that the URL names for each connection, and throws if one is missing: never out of a timer.
  const notify = async (texts: string[]) =>
    pool.query(`select pg_notify('${CHANNEL}', message) from unnest($1::text[]) as message`, [texts]);
  const notifySelf = () => notify([JSON.stringify({ from: self, echo: true } satisfies Echo)]);
  const listener =
    listenUrl === null
      ? createPollingListener(health)
      : createListener({ url: listenUrl, log, listeners, health, receive, notifySelf });
  let unsent = new Map<string, Change>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  function send(): Promise<void> {
    timer = undefined;
    const changes = unsent;
    unsent = new Map();
    const texts = [...changes.values()].flatMap((change) => messagesOf(self, change));
    if (texts.length === 0) return Promise.resolve();
    sending = notify(texts).then(
      () => {},
      (err) => {
        log.warn(toLogFields(err), 'other processes could not be notified of changes; retrying');
        if (texts.length > MAX_UNSENT) return;
        for (const { orgId, ...what } of changes.values()) mergeChange(unsent, orgId, what);
        plan(TRY_AGAIN_MS);
      },
    );
    return sending;
  }

  function plan(ms: number): void {
    timer ??= setTimeout(send, ms).unref();
  }

  return {
    notify(changes) {
      if (changes.length === 0) return;
      listeners.notify(changes);
      for (const { orgId, ...what } of changes) mergeChange(unsent, orgId, what);
      plan(GATHER_MS);
    },
    async listen(changeListener) {
      const stop = listeners.add(changeListener);
      await listener.open();
      return stop;
    },
    isPolling: health.isPolling,
    async close() {
      clearTimeout(timer);
      await sending;
      await send();
      clearTimeout(timer);
      health.stop();
      await listener.close();
    },
  };
}

function messagesOf(from: string, { orgId, posts, ...others }: Change): string[] {
  const ids = [...posts];
  const messages: string[] = [];
  do {
    const message: Message = { from, org: orgId, posts: ids.splice(0, POSTS_PER_MESSAGE), ...others };
    messages.push(JSON.stringify(message));
  } while (ids.length > 0);
  return messages;
}
