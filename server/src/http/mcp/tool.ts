// What a tool is. Tools know neither HTTP nor the MCP library: they take a call and valid arguments, and return an object.
import type { Static, TSchema } from 'typebox';
import type { App } from '../../app/app.js';
import type { Scope } from '../../app/scopes.js';
import type { ProblemCode } from '../../core/problems.js';
import type { CallerWithAddress } from '../../request/caller.js';
import type { Pagination } from '../../request/pagination.js';
import { uuid } from '../../request/schema.js';
import type { LongPolls } from './waits.js';

export interface ToolCall {
  readonly app: App;
  readonly caller: CallerWithAddress;
  readonly requestId: string;
  /** Aborted when the client is gone or the server stops, so that waiting ends. */
  readonly ended: AbortSignal;
  readonly waits: LongPolls;
}

/** What a client may assume; it must not rely on it for safety. */
export interface Annotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  /** Whether it reaches the platform. */
  openWorldHint: boolean;
}

/** What a tool returns. Lists also say whether there is more, and what time it is. */
export interface ToolOutput {
  data: unknown;
  pagination?: Static<typeof Pagination>;
  has_more?: boolean;
  gap?: boolean;
  /** What to do now. */
  next?: string;
}

export interface Tool<Input extends TSchema = TSchema> {
  name: string;
  title: string;
  /** A constant: text of posts never becomes part of it. */
  description: string;
  /** A caller that lacks one of them does not see the tool. */
  scopes: readonly Scope[];
  annotations: Annotations;
  input: Input;
  /** The schema of the data in its result. */
  output: TSchema;
  /** How a list says whether there is more. */
  list?: 'pages' | 'stream';
  /** Whether its result tells the present time, as every list does: agents have no clock. */
  tellsTime?: true;
  /** What an agent must know beyond a problem itself, by its code. */
  afterProblem?: Partial<Record<ProblemCode, string>>;
  run(call: ToolCall, input: Static<Input>): Promise<ToolOutput>;
}

/** Whether `now` is part of a result. */
export const tellsTime = ({ list, tellsTime }: Pick<Tool, 'list' | 'tellsTime'>): boolean =>
  list !== undefined || tellsTime === true;

export const tool = <Input extends TSchema>(definition: Tool<Input>): Tool => definition as unknown as Tool;

export const READS: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
export const ASKS_PLATFORM: Annotations = { ...READS, openWorldHint: true };
export const ADDS: Annotations = { ...READS, readOnlyHint: false, idempotentHint: false };
export const CHANGES: Annotations = { ...READS, readOnlyHint: false, destructiveHint: true };
export const PUBLISHES: Annotations = { ...CHANGES, openWorldHint: true };

export const postId = uuid('Id of the post');
