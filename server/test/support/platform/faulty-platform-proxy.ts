// A proxy in front of the sandbox platform that answers with lies. The real call may still happen behind it.
import { createServer, type ServerResponse } from 'node:http';
import { after, before } from 'node:test';
import { send } from '../service/send.js';
import { listen } from './test-platform.js';

export type Call = 'token' | 'creator' | 'init' | 'upload' | 'status';

const CALLS: [RegExp, Call][] = [
  [/oauth\/token/, 'token'],
  [/creator_info/, 'creator'],
  [/\/init\//, 'init'],
  [/status\/fetch/, 'status'],
  [/^\/upload/, 'upload'],
];
const callAt = (path: string): Call | null => CALLS.find(([pattern]) => pattern.test(path))?.[1] ?? null;

export type Lie = (response: ServerResponse) => void;

export const raw =
  (status: number, body: string, headers: Record<string, string> = {}): Lie =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
export const json = (body: unknown, status = 200, headers = {}) => raw(status, JSON.stringify(body), headers);
export const ok = (data: unknown) => json({ data, error: { code: 'ok', message: '', log_id: '1' } });
export const error = (code: string, status = 200, message = '', headers = {}) =>
  json({ data: {}, error: { code, message, log_id: '1' } }, status, headers);

export const PAGE = raw(200, '<html>ok</html>', { 'content-type': 'text/html' });
/** One byte, and no more until the deadline. */
export const DRIP: Lie = (response) => void response.writeHead(200).write('{');
export const RESET: Lie = (response) => void response.socket?.resetAndDestroy();

interface Behind {
  /** The platform behind the proxy. */
  url(): string;
  /** Resolves when all effects of a call have happened. */
  quiet(): Promise<void>;
}

/** For all tests of a describe block. */
export class FaultyPlatformProxy {
  url = '';
  /** The answers instead of the truth: in this order, and the last one for ever. */
  lies: Partial<Record<Call, Lie[]>> = {};
  /** Whether the real call still happens, and the slides are fetched, before the false answer. */
  isTrueAllTheSame = false;
  asked: Call[] = [];
  told: Lie[] = [];

  constructor(behind: Behind) {
    const server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const path = request.url ?? '';
      const call = callAt(path);
      if (call) this.asked.push(call);
      const left = call ? this.lies[call] : undefined;
      const lie = left && left.length > 1 ? left.shift() : left?.[0];
      const tell = (lie: Lie) => {
        lie(response);
        this.told.push(lie);
      };
      if (lie && !this.isTrueAllTheSame) return tell(lie);
      const { 'content-type': type, authorization } = request.headers;
      const truth = await send(request.method ?? '', behind.url() + path, {
        ...(parts.length > 0 ? { raw: new Uint8Array(Buffer.concat(parts)) } : {}),
        headers: { ...(type ? { 'content-type': type } : {}), ...(authorization ? { authorization } : {}) },
      });
      if (!lie) return raw(truth.status, truth.text)(response);
      await behind.quiet();
      tell(lie);
    });
    before(async () => {
      this.url = await listen(server);
    });
    after(() => {
      server.closeAllConnections();
      server.close();
    });
  }

  /** Resets the proxy: it tells the truth, and has recorded no calls. */
  reset(): void {
    this.lies = {};
    this.isTrueAllTheSame = false;
    this.asked = [];
    this.told = [];
  }

  get inits(): number {
    return this.asked.filter((call) => call === 'init').length;
  }
}
