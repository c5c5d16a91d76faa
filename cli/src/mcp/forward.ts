// One message to /mcp of the service, and its answer. Nothing is repeated here: a call may have taken effect.
import type { Target } from '../connection.js';
import { failure, isRequest, type Message, revisionOf } from './messages.js';
import { type Problem, problemOf } from './problem.js';

export class Forwarder {
  readonly #target: Target;
  /** What client and service agreed on, if the client is of 2025. */
  #agreed: string | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Undefined if there is nothing to answer. */
  async send(message: Message, signal: AbortSignal): Promise<Message | undefined> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${this.#target.url}/mcp`, {
        method: 'POST',
        headers: this.#headers(message),
        body: JSON.stringify(message),
        redirect: 'manual',
        signal,
      });
      text = await response.text();
    } catch {
      if (!isRequest(message) || signal.aborted) return undefined;
      return failure(message, UNREACHABLE, READ_FIRST);
    }
    if (!isRequest(message)) return undefined;
    const answer = parsed(text);
    if (answer?.jsonrpc === '2.0') {
      const version = message.method === 'initialize' ? answer.result?.protocolVersion : undefined;
      if (typeof version === 'string') this.#agreed = version;
      return answer;
    }
    // A refusal before the protocol: the key, the size, too many requests.
    const own = problemOf('unexpected_response', `The answer was HTTP ${response.status}.`);
    return failure(message, { ...own, ...(typeof answer?.code === 'string' ? answer : {}) });
  }

  #headers(message: Message): Record<string, string> {
    const revision = revisionOf(message);
    const version = revision ?? this.#agreed;
    return {
      authorization: `Bearer ${this.#target.key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(version === undefined || message.method === 'initialize'
        ? {}
        : { 'mcp-protocol-version': headerText(version) }),
      ...(revision === undefined ? {} : mirrored(message)),
    };
  }
}

const LOST = 'The service could not be reached, or its answer was lost.';
const UNREACHABLE = problemOf('unreachable', `${LOST} The call may have taken effect.`);
const READ_FIRST = 'Read the post before you repeat the call.';

/** Since 2026 a request says in headers, too, what it is. */
function mirrored({ method, params }: Message): Record<string, string> {
  const name = params?.name ?? params?.uri;
  return {
    'mcp-method': headerText(String(method)),
    ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  };
}

const headerText = (text: string): string =>
  /^[!-~]([ -~]*[!-~])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

function parsed(text: string): (Message & Partial<Problem>) | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
