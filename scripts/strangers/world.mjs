// What the examples need besides the generated client: times, a file, and the two steps that other programs take.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';

export const inHours = (hours) => `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19)}Z`;

/** A grey JPEG of 8 by 8 pixels. */
export const SLIDE = Buffer.from(
  '/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAL/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AKAB/9k=',
  'base64',
);

/** As the response to requestUpload says. */
export async function upload({ upload_url, headers }) {
  const stored = await fetch(upload_url, {
    method: 'PUT',
    headers: { 'content-type': 'image/jpeg', ...headers },
    body: SLIDE,
  });
  assert.ok(stored.ok, `the upload ended with ${stored.status}: ${await stored.text()}`);
}

/** What a person does in the browser: consents, and follows the redirect back to the product. */
export async function consentTo(address, username) {
  const body = new URLSearchParams({ decision: 'allow', username });
  const allowed = await fetch(address, { method: 'POST', body, redirect: 'manual' });
  const back = await fetch(allowed.headers.get('location'));
  assert.equal(back.status, 200, await back.text());
}

/** A customer's own server: it serves a file to import, and takes webhooks. `WEBHOOK_ALLOW` names its address. */
export async function openReceiver() {
  let tellDelivery;
  const firstDelivery = new Promise((resolve) => {
    tellDelivery = resolve;
  });
  const server = createServer((request, response) => {
    if (request.method === 'GET') return response.setHeader('content-type', 'image/jpeg').end(SLIDE);
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      response.end();
      if (JSON.parse(body).type === 'post.created') tellDelivery();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    firstDelivery,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
