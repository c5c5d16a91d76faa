// What a request is told when the file store fails: whether trying again can help.
import { type AppError, unavailable } from '../core/problems.js';

/** The S3 client marks its errors this way. */
export const isStoreFailure = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && '$metadata' in error;

/** `assurance` says what is safe meanwhile. */
export function storeFailure(error: unknown, assurance = ''): AppError {
  const refusal = refusalOf(error);
  const what = refusal
    ? `The file store refuses this request (${refusal}), and will until the operator changes its settings or permissions.`
    : 'The file store does not answer.';
  return unavailable(
    [what, assurance, refusal ? '' : 'Try again in a moment.'].filter(Boolean).join(' '),
    error,
  );
}

/** The store's own code, if it answered and would give the same answer again. */
function refusalOf(error: unknown): string | null {
  if (!isStoreFailure(error)) return null;
  const { name, $metadata } = error as { name: string; $metadata: { httpStatusCode?: number } };
  const status = $metadata.httpStatusCode ?? 0;
  const isFinal = status === 501 || (status >= 400 && status < 500 && status !== 408 && status !== 429);
  return isFinal ? name : null;
}
