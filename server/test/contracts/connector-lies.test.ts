// Answers that a platform should not give: none of them is trusted, followed, or waited for without end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { createTikTokConnector } from '../../src/connectors/tiktok/connector.js';
import { useOther } from '../support/platform/test-platform.js';
import { CONSENT, connectorTo, draftOf, patience, short, VIDEO } from './connector/connector-parts.js';

type Lie = (response: ServerResponse) => void;

const json = (status: number, body: unknown): Lie => raw(status, JSON.stringify(body), 'application/json');
const raw =
  (status: number, body: string, type = 'text/html', headers: Record<string, string> = {}): Lie =>
  (response) =>
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
const ok = (data: unknown) => ({ data, error: { code: 'ok', message: '', log_id: '1' } });
const error = (code: string) => ({ data: {}, error: { code, message: '', log_id: '1' } });

/** Sends up to 50 MB, and stops when the client disconnects. */
const flood: Lie = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const part = ' '.repeat(1_000_000);
  let left = 50;
  const more = () => {
    while (left-- > 0 && !response.destroyed)
      if (!response.write(part)) return void response.once('drain', more);
    response.end(JSON.stringify(ok({ publish_id: 'x' })));
  };
  more();
};
const cutOff: Lie = (response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"data":', () => response.destroy());
};

/** The outcome of the init of slides, of a video, of a status and of a refresh. */
const LIES: [title: string, lie: Lie, slides: string, video: string, status: string, refresh: string][] = [
  ['200 with an error', json(200, error('spam_risk')), 'refused', 'refused', 'unknown', 'refused'],
  [
    '200 with an expired token',
    json(200, error('access_token_invalid')),
    'refresh',
    'refresh',
    'refresh',
    'refused',
  ],
  ['200 with a page', raw(200, '<html>ok</html>'), 'unknown', 'unknown', 'later', 'unknown'],
  ['200 with nothing', raw(200, ''), 'unknown', 'unknown', 'later', 'unknown'],
  ['204', (response) => response.writeHead(204).end(), 'unknown', 'unknown', 'later', 'unknown'],
  ['an empty object', json(200, {}), 'unknown', 'unknown', 'later', 'unknown'],
  ['a list', json(200, []), 'unknown', 'unknown', 'later', 'unknown'],
  ['null', json(200, null), 'unknown', 'unknown', 'later', 'unknown'],
  [
    'broken JSON',
    raw(200, '{"data":{"publish_id":"x"', 'application/json'),
    'unknown',
    'unknown',
    'later',
    'unknown',
  ],
  ['ok without data', json(200, { error: { code: 'ok' } }), 'unknown', 'unknown', 'later', 'unknown'],
  ['ok without an id', json(200, ok({})), 'unknown', 'unknown', 'later', 'unknown'],
  ['an id that is empty', json(200, ok({ publish_id: '' })), 'unknown', 'unknown', 'later', 'unknown'],
  [
    'an id that is a number',
    json(200, ok({ publish_id: 7, status: 7 })),
    'unknown',
    'unknown',
    'later',
    'unknown',
  ],
  ['an id with line breaks', json(200, ok({ publish_id: 'a\nb' })), 'unknown', 'unknown', 'later', 'unknown'],
  ['data as a list', json(200, ok(['x'])), 'unknown', 'unknown', 'later', 'unknown'],
  ['a code as an object', json(200, { error: { code: {} } }), 'unknown', 'unknown', 'later', 'unknown'],
  ['ok with HTTP 500', json(500, ok({ publish_id: 'x' })), 'unknown', 'unknown', 'later', 'later'],
  ['ok with HTTP 403', json(403, ok({ publish_id: 'x' })), 'refused', 'refused', 'unknown', 'refused'],
  ['502 with a page', raw(502, '<html>Bad gateway</html>'), 'unknown', 'unknown', 'later', 'later'],
  ['404 with a page', raw(404, '<html>Not found</html>'), 'refused', 'refused', 'unknown', 'refused'],
  [
    'a redirect',
    raw(302, '', 'text/html', { location: '/elsewhere' }),
    'unknown',
    'unknown',
    'later',
    'unknown',
  ],
  [
    '307 with an ok',
    raw(307, JSON.stringify(ok({ publish_id: 'x' })), 'application/json', { location: '/elsewhere' }),
    'unknown',
    'unknown',
    'later',
    'unknown',
  ],
  ['50 MB', flood, 'unknown', 'unknown', 'later', 'unknown'],
  ['an answer that breaks off', cutOff, 'unknown', 'unknown', 'later', 'unknown'],
];

describe('a platform that answers with', () => {
  let lie: Lie = json(200, {});
  const liar = useOther((_path, response) => lie(response));

  for (const [title, response, ...expected] of LIES)
    it(`${title} is not trusted: ${expected.join(' · ')}`, async () => {
      lie = response;
      liar.seen.length = 0;
      const connector = connectorTo(liar.url);
      const media = { addresses: ['https://media.example.com/1.jpg'] };
      const outcomes = [
        await connector.submit('token', draftOf(), media, null, patience()),
        await connector.prepare('token', VIDEO, { bytes: 5, contentType: 'video/mp4' }, patience()),
        await connector.observe('token', { publishId: 'v_1', username: null }, patience()),
        await connector.renew({ accessToken: '', refreshToken: 'old' }, patience()),
      ];
      assert.deepEqual(outcomes.map(short), expected, JSON.stringify(outcomes));
      assert.equal(liar.seen.length, 4, 'each call is one request, and no redirect is followed');
    });

  it('bytes that are not HTTP is not trusted either', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('220 mail.example.com ESMTP\r\n'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const connector = connectorTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const media = { addresses: ['https://media.example.com/1.jpg'] };
    assert.equal(short(await connector.submit('token', draftOf(), media, null, patience())), 'unknown');
    assert.equal(short(await connector.creator('token', patience())), 'later');
    server.close();
  });

  it('one byte after the other is given up at the deadline', async () => {
    const deadline = new AbortController();
    lie = (response) => {
      response.writeHead(200);
      response.write(' ', () => deadline.abort());
    };
    const connector = connectorTo(liar.url);
    const media = { addresses: ['https://media.example.com/1.jpg'] };
    assert.equal(short(await connector.submit('token', draftOf(), media, null, deadline.signal)), 'unknown');
  });

  it('an upload URL of another host gets no bytes', async () => {
    const { readUploadAddress } = await import('../../src/connectors/tiktok/answers.js');
    const real = 'https://open.tiktokapis.com';
    for (const [address, isTaken] of [
      ['https://open-upload-va.tiktokapis.com/upload?upload_id=1', true],
      ['http://open-upload.tiktokapis.com/upload', false],
      ['https://tiktokapis.com.evil.example/upload', false],
      ['https://eviltiktokapis.com/upload', false],
      ['https://169.254.169.254/upload', false],
      ['file:///etc/passwd', false],
      [7, false],
    ] as const)
      assert.equal(readUploadAddress({ upload_url: address }, real) !== null, isTaken, String(address));
    lie = json(200, ok({ publish_id: 'x', upload_url: 'file:///etc/passwd' }));
    const media = { bytes: 5, contentType: 'video/mp4' };
    const outcome = await connectorTo(liar.url).prepare('token', VIDEO, media, patience());
    assert.equal(short(outcome), 'unknown');
  });

  it('an incomplete grant gets no grant', async () => {
    const whole = {
      access_token: 'act.1',
      expires_in: 7200,
      open_id: 'o',
      refresh_expires_in: 100,
      refresh_token: 'rft.1',
      scope: 'a,b',
    };
    const connector = connectorTo(liar.url);
    lie = json(200, whole);
    assert.equal((await connector.exchange('code', CONSENT, patience())).kind, 'ok');
    const { refresh_token: _, ...kept } = whole;
    lie = json(200, kept);
    const renewed = await connector.renew({ accessToken: '', refreshToken: 'rft.0' }, patience());
    assert.equal(renewed.kind === 'ok' && renewed.value.refreshToken, 'rft.0');
    assert.equal(short(await connector.exchange('code', CONSENT, patience())), 'unknown');
    for (const change of [
      { access_token: 'a\r\nb' },
      { access_token: null },
      { expires_in: '7200' },
      { expires_in: 0 },
      { expires_in: -1 },
      { open_id: 5 },
      { scope: ['a'] },
      { error: 'invalid_grant' },
    ]) {
      lie = json(200, { ...whole, ...change });
      const outcome = await connector.exchange('code', CONSENT, patience());
      assert.notEqual(outcome.kind, 'ok', JSON.stringify(change));
    }
  });

  const STATUSES: [data: Record<string, unknown>, kind: string][] = [
    [{ status: 'PROCESSING_UPLOAD', uploaded_bytes: 5 }, 'accepted'],
    [{ status: 'PROCESSING_DOWNLOAD', downloaded_bytes: 5 }, 'accepted'],
    [{ status: 'SEND_TO_USER_INBOX' }, 'in_inbox'],
    [{ status: 'PUBLISH_COMPLETE' }, 'published'],
    [{ status: 'PUBLISH_COMPLETE', publicaly_available_post_id: [] }, 'published'],
    [{ status: 'PUBLISH_COMPLETE', publicaly_available_post_id: 'wrong' }, 'published'],
    [{ status: 'FAILED' }, 'refused'],
    [{ status: 'FAILED', fail_reason: 'internal' }, 'refused'],
    [{ status: 'SOMETHING_NEW' }, 'accepted'],
    [{ status: 'publish_complete' }, 'accepted'],
    [{ status: '<b>' }, 'accepted'],
    [{ status: 1 }, 'later'],
    [{ status: '' }, 'later'],
    [{ status: ['PUBLISH_COMPLETE'] }, 'later'],
  ];
  for (const [data, kind] of STATUSES)
    it(`the status ${JSON.stringify(data)}: ${kind}`, async () => {
      lie = json(200, ok(data));
      const outcome = await connectorTo(liar.url).observe(
        't',
        { publishId: 'v_1', username: 'anna' },
        patience(),
      );
      assert.equal(outcome.kind, kind, JSON.stringify(outcome));
    });

  it('a post id of 19 digits keeps them all, and is part of the URL', async () => {
    const body = JSON.stringify(ok({ status: 'PUBLISH_COMPLETE', publicaly_available_post_id: ['ID'] }));
    lie = raw(200, body.replace('"ID"', '7602997517160123666'), 'application/json');
    const connector = createTikTokConnector({
      apiUrl: `${liar.url}/`,
      authUrl: 'https://www.tiktok.com/v2/auth/authorize/',
      clientKey: 'key',
      clientSecret: 'secret',
    });
    const postUrl = async (publishId: string, username: string | null) => {
      const outcome = await connector.observe('token', { publishId, username }, patience());
      return outcome.kind === 'published' ? outcome.postUrl : outcome;
    };
    const id = '7602997517160123666';
    assert.equal(await postUrl('v_pub', 'anna'), `https://www.tiktok.com/@anna/video/${id}`);
    assert.equal(await postUrl('p_pub', 'anna'), `https://www.tiktok.com/@anna/photo/${id}`);
    assert.equal(await postUrl('v_pub', null), undefined);
  });
});
