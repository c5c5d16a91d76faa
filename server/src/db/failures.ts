// What the errors of both engines and their drivers mean.
import { isDiskFullError } from '../core/disk-space.js';

/** Postgres is down, starting, stopping, out of connections or too slow; SQLite is locked or its disk fails. */
export function isUnreachable(error: unknown): boolean {
  const { code, message = '', syscall } = error as Partial<NodeJS.ErrnoException>;
  if (code === undefined) return LOST_CONNECTION.test(message);
  return (
    /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/.test(code) ||
    (code === 'ENOENT' && syscall === 'connect') || // its socket is a file
    /^(08|57P|53[0-9]00|57014|25P03|40001|40P01)/.test(code) ||
    /^SQLITE_(BUSY|LOCKED|IOERR)/.test(code)
  );
}

/** Messages of the Postgres driver's errors without a code. */
const LOST_CONNECTION =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed)/;

/** A database server's disk, or one of this machine. */
export const isOutOfSpace = (error: unknown): boolean =>
  isDiskFullError(error) || ['SQLITE_FULL', '53100'].includes(String((error as { code?: unknown }).code));
