// The front page: published posts, as people on the platform would see them, and the drafts in their inboxes.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Html, html, pathOf, sendPage } from './page.js';
import type { Platform } from './platform.js';
import type { Processing } from './processing.js';
import { ApiError } from './responses.js';
import type { MediaRow, PublishRow } from './store.js';

const SHOWN = 60;

const PRIVACY: Record<string, string> = {
  PUBLIC_TO_EVERYONE: 'Everyone',
  MUTUAL_FOLLOW_FRIENDS: 'Friends',
  FOLLOWER_OF_CREATOR: 'Followers',
  SELF_ONLY: 'Only me',
};

export function feedRoutes(app: FastifyInstance, platform: Platform, processing: Processing): void {
  const { store } = platform;
  const withStatus = (status: string) =>
    store.all<PublishRow>(
      'select * from publishes where status = ? order by finished_at desc, seq desc limit ?',
      status,
      SHOWN,
    );

  app.get('/', async (_request, reply) => {
    const posts = withStatus('PUBLISH_COMPLETE');
    const drafts = withStatus('SEND_TO_USER_INBOX');
    const inbox = html`<section><h2>Inbox</h2>
<p class="hint">Drafts wait here until their creator posts them.</p>
<div class="grid">${drafts.map((row) => card(platform, row))}</div></section>`;
    const feed = html`<section><h2>Feed</h2><div class="grid">${posts.map((row) => card(platform, row))}</div></section>`;
    const empty = html`<section class="card empty"><h1>Nothing published yet</h1>
<p>Connect a sandbox account, write a post and publish it. It appears here a few seconds later.</p></section>`;
    const content = html`${drafts.length > 0 ? inbox : null}${posts.length > 0 ? feed : null}${
      posts.length + drafts.length === 0 ? empty : null
    }`;
    return sendPage(platform, reply, 'Sandbox', content);
  });

  // The page of a post. The name in its URL may be outdated; the number identifies the post.
  app.get('/:name/:kind/:postId', async (request, reply) => {
    const { name, kind, postId } = request.params as { name: string; kind: string; postId: string };
    const row = store.get<PublishRow>(
      "select * from publishes where post_id = ? and status = 'PUBLISH_COMPLETE'",
      postId,
    );
    if (!row || !name.startsWith('@') || kind !== row.kind) throw new ApiError('unsupported_path');
    const content = html`<section><div class="grid">${card(platform, row)}</div></section>`;
    return sendPage(platform, reply, `${row.username} in the sandbox`, content);
  });

  app.post('/inbox/:publishId', async (request, reply) => {
    // Other sites must not submit this form on a person's behalf.
    if (request.headers['sec-fetch-site'] === 'cross-site') throw new ApiError('unsupported_path');
    const { publishId } = request.params as { publishId: string };
    if (!processing.postDraft(publishId)) throw new ApiError('unsupported_path');
    return reply
      .code(303)
      .header('location', `${pathOf(platform)}/`)
      .send();
  });

  const sendMedia = async (request: FastifyRequest, reply: FastifyReply) => {
    const { digits, position } = request.params as { digits: string; position: string };
    const row = store.get<MediaRow>(
      'select * from media where digits = ? and position = ?',
      digits,
      Number(position),
    );
    if (!row?.type) throw new ApiError('unsupported_path');
    return sendFile(request, reply, store.mediaFile(digits, row.position), row.type);
  };
  // The framework's own HEAD would report an empty file.
  app.get('/media/:digits/:position', { exposeHeadRoute: false }, sendMedia);
  app.head('/media/:digits/:position', sendMedia);
}

function card(platform: Platform, row: PublishRow): Html {
  const path = pathOf(platform);
  const files = platform.store.all<MediaRow>(
    'select * from media where digits = ? order by position',
    row.digits,
  );
  const when = new Date(row.finished_at ?? row.at).toISOString();
  const button = html`<form method="post" action="${path}/inbox/${encodeURIComponent(row.publish_id)}"><button class="primary">Post</button></form>`;
  return html`<article class="post" id="${row.publish_id}">
${row.kind === 'photo' ? carousel(path, files) : video(path, row)}
<div class="about"><p class="who"><img src="${path}/avatars/${row.username}.svg" alt="" width="32" height="32"> <b>${row.username}</b></p>
${row.title === '' ? null : html`<p class="caption">${row.title}</p>`}
<p class="hint"><time datetime="${when}">${when.slice(0, 16).replace('T', ' ')} UTC</time>${
    row.privacy_level === null
      ? null
      : html` · <span class="privacy">${PRIVACY[row.privacy_level] ?? row.privacy_level}</span>`
  }${coverOf(row)}</p>
${row.privacy_level === 'SELF_ONLY' ? html`<p class="hint">On TikTok, only its creator would see this post. Here, anyone on this machine can.</p>` : null}
${row.status === 'SEND_TO_USER_INBOX' ? button : null}</div>
</article>`;
}

/** The chosen cover in words, if it is not the first slide or frame. */
function coverOf({ kind, request }: PublishRow): Html | null {
  const { post_info, source_info } = JSON.parse(request) as Record<
    string,
    Record<string, unknown> | undefined
  >;
  const index = Number(source_info?.photo_cover_index ?? 0);
  const ms = Number(post_info?.video_cover_timestamp_ms ?? 0);
  if (kind === 'photo')
    return index > 0 ? html` · <span class="cover">Cover: slide ${index + 1}</span>` : null;
  return ms > 0 ? html` · <span class="cover">Cover: at ${ms / 1000} s</span>` : null;
}

const video = (path: string, { digits }: PublishRow): Html =>
  html`<div class="stage"><video src="${path}/media/${digits}/0" controls loop muted playsinline preload="metadata"></video></div>`;

function carousel(path: string, files: MediaRow[]): Html {
  const slides = files.map(
    ({ digits, position }) =>
      html`<img src="${path}/media/${digits}/${position}" alt="Slide ${position + 1} of ${files.length}" loading="lazy">`,
  );
  const steps = html`<button type="button" class="step back" aria-label="Previous slide" hidden>‹</button>
<button type="button" class="step on" aria-label="Next slide" hidden>›</button><span class="count">1/${files.length}</span>`;
  return html`<div class="stage carousel"><div class="slides" tabindex="0" role="group" aria-label="Slides">${slides}</div>${
    files.length > 1 ? steps : null
  }</div>`;
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: string, type: string) {
  const { size } = await stat(file).catch(() => {
    throw new ApiError('unsupported_path');
  });
  reply
    .header('content-type', type)
    .header('accept-ranges', 'bytes')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('cache-control', 'private, max-age=3600');
  const range = rangeOf(request.headers.range, size);
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${size}`).send();
  const { start, end } = range ?? { start: 0, end: size - 1 };
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`);
  reply.header('content-length', end - start + 1);
  if (request.method === 'HEAD') return reply.send();
  return reply.send(createReadStream(file, { start, end }));
}

/** One byte range, both ends inclusive; null means the whole file. */
export function rangeOf(header: string | undefined, size: number) {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return null;
  const [first, last] = [match[1], match[2]] as [string, string];
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size - 1 };
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
