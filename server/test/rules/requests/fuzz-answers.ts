// Sends generated requests, and compares the answers with the OpenAPI document.
import assert from 'node:assert/strict';
import { type Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Ajv, type ValidateFunction } from 'ajv';
import { PROBLEMS, type ProblemCode } from '../../../src/core/problems.js';
import { expandComponents } from '../../../src/http/openapi-components.js';
import type { Document } from '../../support/service/routes.js';
import type { Shot } from './fuzz-requests.js';

const HANG_MS = 300_000;

export interface Hit {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** By node:http and not by fetch, which would normalize the URL and refuse a GET with a body. */
export function fire(base: string, agent: Agent, { operation, path, headers, body }: Shot): Promise<Hit> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const length: Record<string, number> = body === null ? {} : { 'content-length': body.length };
    const request = httpRequest(
      {
        agent,
        hostname,
        port,
        method: operation.method,
        path,
        headers: { ...headers, ...length },
        signal: AbortSignal.timeout(HANG_MS),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () =>
          resolve({
            status: response.statusCode as number,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    const fail = (error: Error) =>
      reject(new Error(`no answer (${error.message})\n${describeShot({ operation, path, headers, body })}`));
    request.on('error', fail);
    request.end(body ?? undefined);
  });
}

export function describeShot({ operation, path, headers, body }: Shot): string {
  const shown =
    body === null ? 'no body' : `body (latin1): ${JSON.stringify(body.toString('latin1').slice(0, 1000))}`;
  return `${operation.method} ${path.slice(0, 1000)}\n${JSON.stringify(headers).slice(0, 1000)}\n${shown}`;
}

/** An organization that sends several of these at the same time is told to wait. */
const ONE_AT_A_TIME = /^(GET .*\/export|POST \/api\/v1\/posts\/import)$/;

/** Fails if an answer is not as the document says, or is a 5xx. */
export function createCheck(document: Document): (shot: Shot, hit: Hit) => void {
  const ajv = new Ajv({ strict: false, validateSchema: false });
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  ajv.addSchema({ ...expandComponents(document), $id: 'api' });
  const compiled = new Map<string, ValidateFunction>();

  function validatorFor(...place: string[]): ValidateFunction {
    const pointer = place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    let validate = compiled.get(pointer);
    if (!validate) {
      validate = ajv.compile({ $ref: `api#/${pointer.split('/').map(encodeURIComponent).join('/')}` });
      compiled.set(pointer, validate);
    }
    return validate;
  }

  return ({ operation, path }, { status, headers, text }) => {
    if (status === 503 && ONE_AT_A_TIME.test(operation.route))
      assert.equal(JSON.parse(text).code, 'busy', 'answered with a 5xx');
    else assert.ok(status < 500, 'answered with a 5xx');
    assert.ok(headers['x-request-id'], 'has no request id');
    const documented = operation.responses[status]?.content;
    if (status < 400) assert.ok(operation.responses[status], `the status ${status} is not documented`);
    if (status < 400 && !documented) return assert.equal(text, '', 'has a body that is not documented');
    const [answered = ''] = (headers['content-type'] ?? '').split(';');
    if (status < 400 && documented && answered !== 'application/json')
      return assert.ok(answered in documented, `is ${answered}, which is not documented`);
    // Transport refusals (a wrong content type on DELETE, say) may meet any route without being listed at each.
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    assert.ok(headers['content-type']?.startsWith(type), `is ${headers['content-type']}, not ${type}`);
    const body = JSON.parse(text) as Record<string, unknown>;
    const place =
      status < 400
        ? [
            'paths',
            operation.path,
            operation.method.toLowerCase(),
            'responses',
            String(status),
            'content',
            type,
            'schema',
          ]
        : ['components', 'schemas', 'Problem'];
    const validate = validatorFor(...place);
    assert.ok(validate(body), `${path} does not fit its schema: ${JSON.stringify(validate.errors)}`);
    if (status >= 400) checkProblem(body, status, headers);
  };
}

function checkProblem(body: Record<string, unknown>, status: number, headers: IncomingHttpHeaders): void {
  const { type, title, detail, code, errors, request_id } = body;
  assert.ok(Object.hasOwn(PROBLEMS, String(code)), `the code ${code} is not in the table`);
  assert.equal(type, `/problems/${code}`);
  assert.equal(title, PROBLEMS[code as ProblemCode][1]);
  assert.equal(body.status, status);
  assert.equal(PROBLEMS[code as ProblemCode][0], status);
  assert.ok(typeof detail === 'string' && detail.length > 0, 'has no detail');
  assert.equal(request_id, headers['x-request-id']);
  if (code === 'validation_failed')
    for (const error of errors as { pointer: string; message: string }[]) {
      assert.match(error.pointer, /^(\/|$)/);
      assert.ok(error.message.length > 0);
    }
  if (code === 'validation_failed') assert.ok((errors as unknown[]).length > 0);
  if (status === 401) assert.equal(headers['www-authenticate'], 'Bearer');
}
