// Work for a client that has left is not done.
import type { FastifyReply } from 'fastify';
import { AppError } from '../core/problems.js';

/** Aborts when the connection closes before the response is sent. Not `request.signal`: that also aborts once a body was read. */
export function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const { raw } = reply;
  const leave = () => {
    if (!raw.writableFinished)
      gone.abort(new AppError('request_timeout', 'The client has closed the connection.'));
  };
  if (raw.destroyed) leave();
  else raw.once('close', leave);
  return gone.signal;
}
