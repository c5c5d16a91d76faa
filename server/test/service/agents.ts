// An agent: the official MCP client, in either era of the protocol, with an API key, as programs of agents use it.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { media, put, typeOf } from './uploads.js';

export const ERAS = ['modern', 'legacy'] as const;
export type Era = (typeof ERAS)[number];

// biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
type Result = any;

export class Agent {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  static connect(url: string, key: string, era: Era): Promise<Agent> {
    const headers = { authorization: `Bearer ${key}` };
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } });
    return Agent.connectBy(transport, era);
  }

  static async connectBy(transport: Transport, era: Era): Promise<Agent> {
    const client = new Client(
      { name: 'test agent', version: '1' },
      { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
    );
    await client.connect(transport);
    assert.equal(client.getProtocolEra(), era);
    await client.listTools();
    return new Agent(client);
  }

  async tools(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  /** The data of a tool's result, which must succeed. */
  async call(name: string, input: Record<string, unknown> = {}): Promise<Result> {
    return (await this.answer(name, input)).data;
  }

  /** The whole result. The client compares it with the tool's schema, once it has listed the tools. */
  async answer(name: string, input: Record<string, unknown> = {}): Promise<Result> {
    const { isError, structuredContent, content } = await this.client.callTool({ name, arguments: input });
    assert.ok(!isError, `${name}: ${JSON.stringify(structuredContent)}`);
    assert.deepEqual(content, [{ type: 'text', text: JSON.stringify(structuredContent) }]);
    return structuredContent;
  }

  /** Calls a tool, which must refuse with this code. Returns the problem. */
  async refused(code: string, name: string, input: Record<string, unknown> = {}): Promise<Result> {
    const { isError, structuredContent } = await this.client.callTool({ name, arguments: input });
    const { problem, next } = structuredContent as Result;
    assert.ok(isError, `${name}: ${JSON.stringify(structuredContent)}`);
    assert.equal(problem.code, code, JSON.stringify(problem));
    return { ...problem, ...(next === undefined ? {} : { next }) };
  }

  /** Sends a file of test/media to the address that the tool returns. */
  async addFile(postId: string, filename: string): Promise<void> {
    const grant = await this.call('post_media_from_file', {
      post_id: postId,
      filename,
      content_type: typeOf(filename),
    });
    assert.equal(grant.upload_method, 'PUT');
    const answer = await put(grant.upload_url, media(filename), grant.upload_headers['content-type']);
    assert.equal(answer.status, 200, answer.text);
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
