// Whether the notifications of other processes arrive. While they do not, listeners are told at intervals that they may have
// missed changes, which makes them read again.
import type { Log } from '../../core/log.js';
import type { ChangeListeners } from '../changes.js';

const PACE = {
  /** How long a process may take to receive its own notification. */
  heardWithinMs: 5_000,
  /** Streams end at each of these, and their clients read everything again. New events they find by themselves, sooner. */
  pollEveryMs: 30_000,
};

const NOT_RECEIVING =
  'notifications from other processes do not arrive, so changes are polled for; behind pgbouncer, set DATABASE_LISTEN_URL to the address of Postgres itself';

export interface NotificationHealth {
  /** From now on it is not known whether notifications arrive; without `confirm`, polling begins soon. */
  suspect(): void;
  /** A notification that this process sent to itself has arrived. */
  confirm(): void;
  /** Begins to poll without waiting for a notification. */
  poll(): void;
  isHealthy(): boolean;
  isPolling(): boolean;
  stop(): void;
}

export function createNotificationHealth(
  log: Log,
  listeners: ChangeListeners,
  pace = PACE,
): NotificationHealth {
  let isSure = false;
  let deadline: NodeJS.Timeout | undefined;
  let polling: NodeJS.Timeout | undefined;

  function poll(): void {
    log.warn(NOT_RECEIVING);
    listeners.notifyMissed();
    polling = setInterval(() => listeners.notifyMissed(), pace.pollEveryMs).unref();
  }

  function stop(): void {
    clearTimeout(deadline);
    clearInterval(polling);
    deadline = undefined;
    polling = undefined;
  }

  return {
    suspect() {
      isSure = false;
      if (!polling) deadline ??= setTimeout(poll, pace.heardWithinMs).unref();
    },
    confirm() {
      const wasPolling = polling !== undefined;
      stop();
      isSure = true;
      if (!wasPolling) return;
      log.info('notifications from other processes arrive again');
      listeners.notifyMissed();
    },
    poll,
    isHealthy: () => isSure,
    isPolling: () => polling !== undefined,
    stop,
  };
}
