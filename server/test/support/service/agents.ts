// An agent: the official MCP client, in either era of the protocol, with an API key, as programs of agents use it.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { Ajv } from 'ajv';
import { media, put, typeOf } from './uploads.js';

export const ERAS = ['modern', 'legacy'] as const;
export type Era = (typeof ERAS)[number];

// biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
type Result = any;

const ajv = new Ajv({ strict: false });
const ofClients = new AjvJsonSchemaValidator();

/** Compiled once for all agents: each client would compile the schemas of all results anew, which took longer than its calls. */
function memoized<T>(make: (schema: object) => T): (schema: object) => T {
  const made = new Map<string, T>();
  return (schema) => {
    const key = JSON.stringify(schema);
    const known = made.get(key) ?? make(schema);
    made.set(key, known);
    return known;
  };
}
const checkOf = memoized((schema) => ajv.compile(schema));
const validatorOf = memoized((schema) => ofClients.getValidator(schema));

export class Agent {
  readonly client: Client;
  /** The tools whose results were compared with their schemas, and how many of those were problems. */
  readonly compared = new Map<string, number>();
  private readonly schemas: Map<string, object>;

  private constructor(client: Client, schemas: Map<string, object>) {
    this.client = client;
    this.schemas = schemas;
  }

  static connect(url: string, key: string, era: Era): Promise<Agent> {
    const headers = { authorization: `Bearer ${key}` };
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } });
    return Agent.connectBy(transport, era);
  }

  static async connectBy(transport: Transport, era: Era): Promise<Agent> {
    const client = new Client(
      { name: 'test agent', version: '1' },
      {
        versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
        jsonSchemaValidator: { getValidator: validatorOf as typeof ofClients.getValidator },
      },
    );
    try {
      await client.connect(transport);
      assert.equal(client.getProtocolEra(), era);
      const { tools } = await client.listTools();
      return new Agent(client, new Map(tools.map(({ name, outputSchema }) => [name, outputSchema ?? {}])));
    } catch (error) {
      // Over stdio, a program that goes on would keep the test's process from ending.
      await client.close();
      throw error;
    }
  }

  async tools(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  /** The data of a tool's result, which must succeed. */
  async call(name: string, input: Record<string, unknown> = {}): Promise<Result> {
    return (await this.answer(name, input)).data;
  }

  /** The whole result, which must succeed. */
  async answer(name: string, input: Record<string, unknown> = {}): Promise<Result> {
    const { isError, result } = await this.send(name, input);
    assert.ok(!isError, `${name}: ${JSON.stringify(result)}`);
    return result;
  }

  /** Sends a call, and compares its result with the schema of its tool. The client compares only what succeeded. */
  private async send(name: string, input: Record<string, unknown>) {
    const called = await this.client.callTool({ name, arguments: input });
    const { isError = false, structuredContent: result, content } = called;
    assert.deepEqual(content, [{ type: 'text', text: JSON.stringify(result) }]);
    const schema = this.schemas.get(name);
    if (schema) {
      const check = checkOf(schema);
      assert.ok(check(result), `${name}: ${JSON.stringify([check.errors, result])}`);
      this.compared.set(name, (this.compared.get(name) ?? 0) + (isError ? 1 : 0));
    }
    return { isError, result: result as Result };
  }

  /** Calls a tool, which must refuse, with this code unless it is null. Returns the problem. */
  async refused(code: string | null, name: string, input: Record<string, unknown> = {}): Promise<Result> {
    const { isError, result } = await this.send(name, input);
    const { problem, next } = result;
    assert.ok(isError, `${name}: ${JSON.stringify(result)}`);
    assert.equal(problem.code, code ?? problem.code, JSON.stringify(problem));
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
