// The one connection that listens to other processes. It reconnects by itself, and reports that changes may have been missed.
import pg from 'pg';
import { type Log, toLogFields } from '../../core/log.js';
import type { ChangeListeners } from '../changes.js';
import type { NotificationHealth } from './notification-health.js';

export const CHANNEL = 'airdate_changes';

const TRY_AGAIN_MS = 1_000;
const CHECK_EVERY_MS = 15_000;
const CHECK_MS = 5_000;

interface ListenerDeps {
  url: string;
  log: Log;
  listeners: ChangeListeners;
  health: NotificationHealth;
  receive(text: string): void;
  /**
   * Notifies this process, by a connection that does not listen. A pooler that lends connections per transaction accepts LISTEN and
   * then delivers nothing, except what the listening connection sends itself.
   */
  notifySelf(): Promise<unknown>;
}

export interface PostgresListener {
  /** Resolves when it listens, or fails to for now. */
  open(): Promise<void>;
  close(): Promise<void>;
}

export function createListener(parts: ListenerDeps): PostgresListener {
  const { url, log, listeners, health, receive, notifySelf } = parts;
  let client: pg.Client | null = null;
  let opening: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let wasLost = false;

  const newClient = () =>
    new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CHECK_MS,
      query_timeout: CHECK_MS,
      keepAlive: true,
      application_name: 'airdate listener',
    });
  // Throws if a file that the URL names is missing: that must fail the start, and not the first stream.
  newClient();

  function connectAgain(err?: Error): void {
    client = null;
    if (closed) return;
    wasLost = true;
    health.suspect();
    log.warn(
      err ? toLogFields(err) : {},
      'the connection that listens to other processes was lost; reconnecting',
    );
    clearTimeout(timer);
    timer = setTimeout(connect, TRY_AGAIN_MS).unref();
  }

  async function connect(): Promise<void> {
    let made: pg.Client;
    try {
      made = newClient();
    } catch (err) {
      // A certificate is being exchanged.
      return connectAgain(err as Error);
    }
    let isClosed = false;
    const lose = (err?: Error) => {
      if (isClosed) return;
      isClosed = true;
      made.end().catch(() => {});
      connectAgain(err);
    };
    made.on('error', lose);
    made.on('end', () => lose());
    made.on('notification', ({ payload }) => receive(payload ?? ''));
    try {
      await made.connect();
      await made.query(`listen ${CHANNEL}`);
    } catch (err) {
      return lose(err as Error);
    }
    if (closed) return void made.end().catch(() => {});
    client = made;
    if (wasLost) listeners.notifyMissed();
    wasLost = false;
    checkAlive(made, lose);
  }

  /** A connection whose peer vanished silently would never be noticed. */
  function checkAlive(made: pg.Client, lose: (err: Error) => void): void {
    // If that fails, the next check repeats it.
    if (!health.isHealthy()) notifySelf().catch(() => {});
    timer = setTimeout(() => {
      made.query('select 1').then(() => {
        if (client === made) checkAlive(made, lose);
      }, lose);
    }, CHECK_EVERY_MS).unref();
  }

  return {
    open() {
      if (!opening) {
        health.suspect();
        opening = connect();
      }
      return opening;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await opening;
      await client?.end().catch(() => {});
    },
  };
}

/** Where no connection can listen: changes are polled for from the beginning. */
export const createPollingListener = (health: NotificationHealth): PostgresListener => ({
  async open() {
    if (!health.isPolling()) health.poll();
  },
  close: async () => {},
});
