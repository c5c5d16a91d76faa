// One call of a tool: scopes, arguments, the tool itself, and its result or problem as an agent reads them.

import { toTimestamp } from '../../core/clock.js';
import { logLevelFor, toLogFields } from '../../core/log.js';
import { AppError, invalid, problemDocument } from '../../core/problems.js';
import { assertScope } from '../../request/caller.js';
import { asAppError } from '../problem-reply.js';
import { createValidator } from '../validation.js';
import { nextAfter } from './next-steps.js';
import { type Tool, type ToolCall, type ToolOutput, tellsTime } from './tool.js';
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

export async function runTool(call: ToolCall, name: string, input: unknown): Promise<ToolResult> {
  const tool = TOOLS.find((one) => one.name === name);
  try {
    if (!tool) throw new AppError('not_found', NO_SUCH_TOOL);
    for (const scope of tool.scopes) assertScope(call.caller, scope, `The tool ${tool.name}`);
    const checked = checks.get(tool.name)?.(input);
    if (checked !== true) throw checked?.error ?? invalid([]);
    const result = await tool.run(call, input);
    return asResult(tellsTime(tool) ? { ...result, now: toTimestamp(call.app.clock.now()) } : result);
  } catch (error) {
    return asProblem(call, tool, error);
  }
}

export const isTool = (name: string): boolean => checks.has(name);

const NO_SUCH_TOOL =
  'There is no such tool: those of tools/list are all that this key has. What none of them does, such as deleting a post, a person does in the dashboard.';

/** The same object twice: some clients read only the text. */
const asResult = (
  result: (ToolOutput & { now?: string }) | { problem: object; next?: string },
): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(result) }],
  structuredContent: { ...result },
});

function asProblem({ app, requestId }: ToolCall, tool: Tool | undefined, error: unknown): ToolResult {
  const problem = asAppError(error);
  if (problem.status >= 500)
    app.log[logLevelFor(problem)](
      { ...toLogFields(problem), code: problem.code, request_id: requestId },
      'a request failed',
    );
  const next = tool && nextAfter(tool, problem, app.clock.now());
  const wait = problem.headers['retry-after'];
  return {
    ...asResult({
      problem: {
        ...problemDocument(problem, requestId),
        ...(wait === undefined ? {} : { retry_after_seconds: Number(wait) }),
      },
      ...(next === undefined ? {} : { next }),
    }),
    isError: true,
  };
}
