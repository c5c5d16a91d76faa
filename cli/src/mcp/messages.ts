// Messages of JSON-RPC, as far as they are read here. Everything else passes unread.

import type { Problem } from './problem.js';

export interface Message {
  jsonrpc?: unknown;
  id?: string | number | null;
  method?: unknown;
  params?: {
    name?: unknown;
    uri?: unknown;
    arguments?: unknown;
    requestId?: unknown;
    _meta?: Record<string, unknown>;
  };
  result?: Result;
  error?: object;
}

export interface Result {
  isError?: boolean;
  content?: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: of every tool
  structuredContent?: any;
  tools?: { name: string }[];
  protocolVersion?: unknown;
}

const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** Clients of 2026 say in each request which revision they speak; those of 2025 agree on it at the start. */
export const revisionOf = ({ params }: Message): string | undefined => {
  const revision = params?._meta?.[VERSION];
  return typeof revision === 'string' ? revision : undefined;
};

export const isRequest = ({ id, method }: Message): boolean =>
  typeof method === 'string' && id !== undefined && id !== null;

export const isCall = ({ method }: Message): boolean => method === 'tools/call';

/** A call that failed is a result, so that the agent reads it; anything else that failed is an error of the protocol. */
export function failure(message: Message, problem: Problem, next?: string): Message {
  const { id = null } = message;
  if (!isCall(message))
    return { jsonrpc: '2.0', id, error: { code: -32603, message: problem.detail, data: problem } };
  return {
    jsonrpc: '2.0',
    id,
    result: { ...resultOf(message, { problem, ...(next ? { next } : {}) }), isError: true },
  };
}

export const resultOf = (message: Message, object: object): Result => ({
  ...(revisionOf(message) === undefined ? {} : { resultType: 'complete' }),
  content: [{ type: 'text', text: JSON.stringify(object) }],
  structuredContent: object,
});
