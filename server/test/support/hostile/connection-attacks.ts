// Attacks by connections: thousands of requests that do not wait for a response, and responses that are never read.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fixture } from '../media/parts.js';
import type { Attack, Target } from './attacks.js';
import { clientAt } from './tenant-client.js';

const ADDRESS = '127.0.3.1';
const REQUESTS = 3_000;
/** How long a connection is kept, whatever comes of it. */
const OPEN_MS = 10_000;
const MB = 1024 * 1024;

const get = ({ url }: Target, path: string, key?: string) =>
  `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`;

function open({ url }: Target): Socket {
  const { hostname: host, port } = new URL(url);
  return connect({ host, port: Number(port), localAddress: ADDRESS }).on('error', () => {});
}

/** Resolves when the connection has ended, or after a while. */
async function keep(socket: Socket): Promise<number> {
  const timer = setTimeout(() => socket.destroy(), OPEN_MS);
  await once(socket, 'close');
  clearTimeout(timer);
  return 0;
}

/** Sends them all together, and reads the responses. */
async function pipeline(target: Target, key?: string): Promise<number> {
  const socket = open(target);
  const ended = keep(socket);
  socket.end(get(target, '/api/v1/posts', key).repeat(REQUESTS));
  socket.resume();
  return ended;
}

const withoutKey: Attack = {
  title: 'pipelined requests without a key',
  lanes: 20,
  isFlood: true,
  prepare: async (target) => () => pipeline(target),
};

const withKey: Attack = {
  title: 'pipelined requests with a key',
  lanes: 20,
  isFlood: true,
  prepare: async (target) => () => pipeline(target, target.key),
};

const neverRead: Attack = {
  title: 'pipelined requests whose responses are never read',
  lanes: 100,
  isFlood: true,
  prepare: async (target) => (lane) => {
    const socket = open(target).pause();
    socket.write(get(target, '/api/v1/posts', lane % 2 === 0 ? target.key : undefined).repeat(REQUESTS));
    return keep(socket);
  },
};

const unreadDownloads: Attack = {
  title: 'downloads that are never read',
  lanes: 1_500,
  isFlood: true,
  async prepare(target) {
    const { pathname, search } = new URL(await uploadVideo(target));
    return () => {
      const socket = open(target).pause();
      socket.write(get(target, pathname + search));
      return keep(socket);
    };
  },
};

/** A short clip with 30 MB of nothing behind it. Returns the URL of its download. */
async function uploadVideo({ url, key }: Target): Promise<string> {
  const call = clientAt(ADDRESS);
  const nothing = Buffer.alloc(30 * MB);
  nothing.writeUInt32BE(nothing.length, 0);
  nothing.write('free', 4);
  const raw = Buffer.concat([fixture('tiny.mp4'), nothing]);
  const post = { title: 'Unread', post_type: 'video' };
  const { json } = await call('POST', `${url}/api/v1/posts`, { key, json: post });
  const assets = `${url}/api/v1/posts/${json.data.id}/assets`;
  const file = { filename: 'clip.mp4', content_type: 'video/mp4' };
  const granted = await call('POST', assets, { key, json: file });
  const headers = { 'content-type': 'video/mp4' };
  const { status } = await call('PUT', granted.json.upload_url, { raw, headers });
  if (status !== 200) throw new Error(`the video was answered with ${status}`);
  return (await call('GET', assets, { key })).json.data[0].url;
}

export const CONNECTION_ATTACKS: readonly Attack[] = [withoutKey, withKey, neverRead, unreadDownloads];
