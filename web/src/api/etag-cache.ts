// A fetch that asks with If-None-Match for what it has read before: an unchanged list or post then comes without its bytes.
// Only the API decides what is unchanged, for the session that asks, so nothing of another session can come from here.

const MAX_ANSWERS = 50;

export function withEtagCache(send: (request: Request) => Promise<Response>): typeof fetch {
  /** By URL; the one that was not asked for the longest comes first. */
  const known = new Map<string, { etag: string; body: string }>();
  return async (asked, init) => {
    const request = new Request(asked, init);
    if (request.method !== 'GET') return send(request);
    const { url } = request;
    const before = known.get(url);
    if (before) request.headers.set('if-none-match', before.etag);
    const response = await send(request);
    if (response.status === 304 && before) {
      known.delete(url);
      known.set(url, before);
      const headers = new Headers(response.headers);
      headers.set('content-type', 'application/json');
      return new Response(before.body, { status: 200, headers });
    }
    const etag = response.headers.get('etag');
    known.delete(url);
    if (!response.ok || etag === null) return response;
    known.set(url, { etag, body: await response.clone().text() });
    if (known.size > MAX_ANSWERS) known.delete(known.keys().next().value as string);
    return response;
  };
}
