// The codes of the problems that the handler of an operation can end with, as far as the code says so.
import { followFrom } from './reach.mjs';
import { ts } from './sources.mjs';

/** For each operation, the codes of the problems that it, or what it calls, makes. */
export function refusalsOf(workspace, operationIds) {
  const starts = Object.fromEntries(operationIds.map((operationId) => [operationId, [{ operationId }]]));
  const found = followFrom(workspace, starts, (node, { checker }) =>
    ts.isNewExpression(node) && node.expression.getText() === 'AppError'
      ? codesOf(checker.getTypeAtLocation(node.arguments[0]))
      : [],
  );
  return Object.fromEntries(
    Object.entries(found).map(([operation, codes]) => [operation, [...new Set(codes)]]),
  );
}

/** A problem of any code at all is a stored one, which the same operation has made before. */
const MAX_CODES = 30;

function codesOf(type) {
  const types = type.isUnion() ? type.types : [type];
  const codes = types.filter((one) => one.isStringLiteral()).map(({ value }) => value);
  if (codes.length !== types.length) throw new Error('The code of a problem is any text');
  return codes.length > MAX_CODES ? [] : codes;
}
