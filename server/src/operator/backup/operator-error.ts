/** A backup, restore or move that cannot go on. The message is a sentence for the operator, and says what to do. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** Called at each step, with what is done so far. */
export type Report = (step: string) => void;
