// The response to a publish request, built from the row of its attempt.
import { retryAfter, unavailableCode } from '../accounts/setbacks.js';
import { AppError, notFound, PROBLEMS, type ProblemCode, wrongState } from '../core/problems.js';
import type { App } from '../request/app.js';

export type PublishResult =
  /** The platform has not answered yet, or its answer is not saved. */
  { kind: 'open' } | { kind: 'accepted'; publishId: string } | { kind: 'problem'; problem: AppError };

/** The result of an attempt, or of the one that has replaced it. */
export async function findResult(app: App, orgId: string, dispatchId: string): Promise<PublishResult> {
  const dispatch = await app.db.read
    .selectFrom('dispatches')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', dispatchId)
    .executeTakeFirst();
  if (dispatch?.continued_by) return findResult(app, orgId, dispatch.continued_by);
  // The attempt was deleted with its post.
  if (!dispatch) return asProblem(notFound('post'));
  if (dispatch.outcome === 'started') return { kind: 'open' };
  if (dispatch.publish_id !== null) return { kind: 'accepted', publishId: dispatch.publish_id };
  if (dispatch.outcome === 'published')
    return asProblem(wrongState('The post was resolved as published, so it is not sent again.'));
  const detail = dispatch.error_message ?? 'The outcome of the attempt is not known yet.';
  const code = dispatch.error_code ?? '';
  switch (dispatch.failure) {
    case 'refused':
      return asProblem(new AppError(refusalCode(code), detail));
    case 'reauthorize':
      return asProblem(new AppError('reconnect_required', detail));
    case 'retryable': {
      const isBlock = app.connector(dispatch.platform).blockCodes.has(code);
      const headers = retryAfter(dispatch.retry_after_ms ?? 0);
      return asProblem(
        new AppError(isBlock ? 'account_blocked' : unavailableCode(code), detail, { headers }),
      );
    }
    default:
      return asProblem(new AppError('platform_timeout', detail));
  }
}

const asProblem = (problem: AppError): PublishResult => ({ kind: 'problem', problem });

/** A code of ours becomes the problem's code; the platform's own code stands in the detail. */
export const refusalCode = (code: string): ProblemCode =>
  Object.hasOwn(PROBLEMS, code) && PROBLEMS[code as ProblemCode][0] === 422
    ? (code as ProblemCode)
    : 'platform_refused';
