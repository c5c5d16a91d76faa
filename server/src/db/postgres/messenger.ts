// Notifies other processes of changes, by LISTEN and NOTIFY.
//
// Changes are gathered for a moment after the commit and then sent, not in the transaction: a transaction that notifies
// takes a cluster-wide lock when it commits, so commits would run one at a time. The price: a process that is killed in
// that moment has sent nothing. What must not be lost is an event, and events are read from their table.
import pg from 'pg';
import { faultOf, type Log } from '../../ground/log.js';
import { Audience, addTo, type Change, type Listener } from '../changes.js';

const CHANNEL = 'airdate_changes';
const GATHER_MS = 50;
const TRY_AGAIN_MS = 1_000;
/** A message may have 8,000 bytes. */
const POSTS_PER_MESSAGE = 180;
/** More messages than this are dropped instead of being sent later. */
const MOST_UNTOLD = 1_000;
const LOOK_EVERY_MS = 15_000;
const LOOK_MS = 5_000;

export interface Messenger {
  tell(changes: readonly Change[]): void;
  listen(listener: Listener): Promise<() => void>;
  close(): Promise<void>;
}

interface Message {
  from: string;
  org: string;
  posts: string[];
  accounts: boolean;
  labels: boolean;
  snippets: boolean;
  events: boolean;
}

export function createMessenger(url: string, pool: pg.Pool, log: Log): Messenger {
  /** Identifies this process and handle: its own messages are ignored, because its listeners have been told already. */
  const self = `${process.pid}.${Math.random().toString(36).slice(2)}`;
  const audience = new Audience();
  const notifications = createListener(url, log, audience, (text) => {
    const { from, org, ...what } = JSON.parse(text) as Message;
    if (from === self) return;
    const changes = new Map<string, Change>();
    addTo(changes, org, what);
    audience.tell([...changes.values()]);
  });
  let untold = new Map<string, Change>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  function send(): Promise<void> {
    timer = undefined;
    const changes = untold;
    untold = new Map();
    const texts = [...changes.values()].flatMap((change) => messagesOf(self, change));
    if (texts.length === 0) return Promise.resolve();
    sending = pool
      .query(`select pg_notify('${CHANNEL}', message) from unnest($1::text[]) as message`, [texts])
      .then(
        () => {},
        (err) => {
          log.warn(faultOf(err), 'other processes could not be notified of changes; retrying');
          if (texts.length > MOST_UNTOLD) return;
          for (const { orgId, ...what } of changes.values()) addTo(untold, orgId, what);
          plan(TRY_AGAIN_MS);
        },
      );
    return sending;
  }

  function plan(ms: number): void {
    timer ??= setTimeout(send, ms).unref();
  }

  return {
    tell(changes) {
      if (changes.length === 0) return;
      audience.tell(changes);
      for (const { orgId, ...what } of changes) addTo(untold, orgId, what);
      plan(GATHER_MS);
    },
    async listen(listener) {
      const stop = audience.add(listener);
      await notifications.open();
      return stop;
    },
    async close() {
      clearTimeout(timer);
      await sending;
      await send();
      clearTimeout(timer);
      await notifications.close();
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

/** A connection that only listens. It reconnects by itself, and reports that changes may have been missed. */
function createListener(url: string, log: Log, audience: Audience, hear: (text: string) => void) {
  let client: pg.Client | null = null;
  let opening: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let wasLost = false;

  async function connect(): Promise<void> {
    const made = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: LOOK_MS,
      query_timeout: LOOK_MS,
      keepAlive: true,
      application_name: 'airdate listener',
    });
    let isClosed = false;
    const lose = (err?: Error) => {
      if (isClosed) return;
      isClosed = true;
      client = null;
      made.end().catch(() => {});
      if (closed) return;
      wasLost = true;
      log.warn(
        err ? faultOf(err) : {},
        'the connection that listens to other processes was lost; reconnecting',
      );
      clearTimeout(timer);
      timer = setTimeout(connect, TRY_AGAIN_MS).unref();
    };
    made.on('error', lose);
    made.on('end', () => lose());
    made.on('notification', ({ payload }) => hear(payload ?? ''));
    try {
      await made.connect();
      await made.query(`listen ${CHANNEL}`);
    } catch (err) {
      return lose(err as Error);
    }
    if (closed) return void made.end().catch(() => {});
    client = made;
    if (wasLost) audience.tellOfGap();
    wasLost = false;
    checkAlive(made, lose);
  }

  /** A connection whose peer vanished silently would never be noticed. */
  function checkAlive(made: pg.Client, lose: (err: Error) => void): void {
    timer = setTimeout(() => {
      made.query('select 1').then(() => {
        if (client === made) checkAlive(made, lose);
      }, lose);
    }, LOOK_EVERY_MS).unref();
  }

  return {
    open(): Promise<void> {
      opening ??= connect();
      return opening;
    },
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      await opening;
      await client?.end().catch(() => {});
    },
  };
}
