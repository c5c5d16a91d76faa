import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PresignRequest, presigner } from './sigv4.js';

// The identity and the request of the example in Amazon's "Authenticating Requests: Using Query Parameters".
const EXAMPLE = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const GET: PresignRequest = {
  method: 'GET',
  host: 'examplebucket.s3.amazonaws.com',
  path: '/test.txt',
  at: Date.parse('2013-05-24T00:00:00Z'),
  lifetimeSeconds: 86_400,
};

describe('a presigned address', () => {
  const presign = presigner(EXAMPLE);
  const queryOf = (address: string) => new URLSearchParams(address.slice(address.indexOf('?')));

  it("is Amazon's published example, to the letter", () => {
    assert.equal(
      presign(GET),
      '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
        '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
        '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });

  it('binds the host, and for an upload the content type and the announced length', () => {
    const bound = (headers: Record<string, string>) =>
      queryOf(presign({ ...GET, method: 'PUT', headers })).get('X-Amz-SignedHeaders');
    assert.equal(
      bound({ 'content-type': 'image/png', 'content-length': '12' }),
      'content-length;content-type;host',
    );
    assert.equal(bound({ 'content-type': 'image/png' }), 'content-type;host');
    assert.equal(bound({}), 'host');
  });

  it('is another one for another method, host, path, header, parameter, moment, lifetime, key or region', () => {
    const others: PresignRequest[] = [
      GET,
      { ...GET, method: 'PUT' },
      { ...GET, host: 'examplebucket.s3.amazonaws.com:444' },
      { ...GET, path: '/test.txt2' },
      { ...GET, headers: { 'content-type': 'image/png' } },
      { ...GET, headers: { 'content-type': 'image/jpeg' } },
      { ...GET, query: { 'response-content-type': 'image/png' } },
      { ...GET, at: GET.at + 1000 },
      { ...GET, at: GET.at + 86_400_000 },
      { ...GET, lifetimeSeconds: 86_401 },
    ];
    const signatures = others.map((request) => queryOf(presign(request)).get('X-Amz-Signature'));
    for (const identity of [
      { ...EXAMPLE, secretAccessKey: 'another' },
      { ...EXAMPLE, region: 'eu-central-1' },
    ])
      signatures.push(queryOf(presigner(identity)(GET)).get('X-Amz-Signature'));
    assert.equal(new Set(signatures).size, others.length + 2);
  });

  it('is signed with the key of its own day, whichever day was signed before', () => {
    const nextDay = { ...GET, at: GET.at + 86_400_000 };
    const expected = [presigner(EXAMPLE)(GET), presigner(EXAMPLE)(nextDay), presigner(EXAMPLE)(GET)];
    assert.deepEqual([presign(GET), presign(nextDay), presign(GET)], expected);
  });

  it('keeps what its parameters say, sorted and encoded as the specification wants', () => {
    const disposition = `attachment; filename="it's (one)*!~.png"`;
    const address = presign({
      ...GET,
      query: { 'response-content-type': 'image/png', 'response-content-disposition': disposition },
    });
    assert.equal(queryOf(address).get('response-content-disposition'), disposition);
    assert.ok(
      address.includes(
        '=attachment%3B%20filename%3D%22it%27s%20%28one%29%2A%21~.png%22&response-content-type=',
      ),
    );
  });

  it('lives from a second to a week', () => {
    for (const lifetimeSeconds of [0, -1, 1.5, 604_801, Number.NaN])
      assert.throws(() => presign({ ...GET, lifetimeSeconds }), RangeError);
    for (const lifetimeSeconds of [1, 604_800]) presign({ ...GET, lifetimeSeconds });
  });
});
