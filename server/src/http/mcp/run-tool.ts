// One call of a tool: scopes, arguments, the tool itself, and its result or problem as an agent reads them.
import { mustHaveScope } from '../../api/caller.js';
import { faultOf, levelOf } from '../../ground/log.js';
import { AppError, invalid, type ProblemCode, problemDocument } from '../../ground/problems.js';
import { asAppError } from '../problem-reply.js';
import { createValidator } from '../validation.js';
import { DO_NOT_REPEAT } from './outcome.js';
import type { Tool, ToolCall } from './tool.js';
import { TOOLS } from './tools.js';

export interface ToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError?: true;
}

type Check = (input: unknown) => true | { error: AppError };

const compile = createValidator();
const checks = new Map<string, Check>(
  TOOLS.map(({ name, input }) => [name, compile({ schema: input, httpPart: 'body' } as never) as Check]),
);

/** What an agent must know beyond the problem itself. */
const NEXT: Partial<Record<ProblemCode, string>> = {
  platform_timeout: DO_NOT_REPEAT,
  idempotency_key_in_use:
    'The first call with this confirm is still in progress. Call post_status instead of repeating it.',
};

export async function runTool(call: ToolCall, name: string, input: unknown): Promise<ToolResult> {
  try {
    const tool = toolNamed(name);
    for (const scope of tool.scopes) mustHaveScope(call.caller, scope, `The tool ${tool.name}`);
    const checked = checks.get(tool.name)?.(input);
    if (checked !== true) throw checked?.error ?? invalid([]);
    const result = await tool.run(call, input);
    return asResult(result as Record<string, unknown>);
  } catch (error) {
    return asProblem(call, error);
  }
}

export const isTool = (name: string): boolean => checks.has(name);

function toolNamed(name: string): Tool {
  const found = TOOLS.find((tool) => tool.name === name);
  if (!found)
    throw new AppError('not_found', 'There is no such tool. The tools of this key are those of tools/list.');
  return found;
}

/** The same object twice: some clients read only the text. */
const asResult = (structuredContent: Record<string, unknown>): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  structuredContent,
});

function asProblem({ app, requestId }: ToolCall, error: unknown): ToolResult {
  const problem = asAppError(error);
  if (problem.status >= 500)
    app.log[levelOf(problem)](
      { ...faultOf(problem), code: problem.code, request_id: requestId },
      'a request failed',
    );
  const next = NEXT[problem.code];
  const wait = problem.headers['retry-after'];
  return {
    ...asResult({
      ...problemDocument(problem, requestId),
      ...(wait === undefined ? {} : { retry_after_seconds: Number(wait) }),
      ...(next === undefined ? {} : { next }),
    }),
    isError: true,
  };
}
