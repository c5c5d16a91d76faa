// At the end: what the posts say against what the platform has. Nothing twice, nothing lost.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const SETTLED_WITHIN_MS = 90_000;

const isUnknown = ({ last_publish_error: error }) => error?.startsWith('The outcome is unknown') ?? false;

async function settledPosts(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const until = Date.now() + SETTLED_WITHIN_MS; ; await delay(500)) {
      const { rows } = await client.query('select id, title, status, last_publish_error from posts');
      const waiting = rows.filter(
        (row) => ['scheduled', 'publishing'].includes(row.status) && !isUnknown(row),
      );
      const { rows: attempts } = await client.query(
        `select count(*)::int as open from dispatches where outcome in ('started', 'accepted')`,
      );
      if ((waiting.length === 0 && attempts[0].open === 0) || Date.now() > until) return rows;
    }
  } finally {
    await client.end();
  }
}

async function publishedByTitle(sandboxUrl) {
  const { data } = await (await fetch(`${sandboxUrl}/__control/publishes`)).json();
  const counts = new Map();
  for (const { request, status } of data) {
    if (status === 'FAILED') continue;
    const title = /Trial \d+ \w{8}/.exec(JSON.stringify(request))?.[0];
    counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  return counts;
}

/** Returns figures, and sentences about what must not be. */
export async function judge({ databaseUrl, sandboxUrl, posts, streams }) {
  const rows = await settledPosts(databaseUrl);
  const published = await publishedByTitle(sandboxUrl);
  const byTitle = new Map(rows.map((row) => [row.title, row]));
  const wrong = [];
  const figures = { posts: rows.length, posted: 0, unknown: 0, failed: 0, twice: 0, lost: 0 };
  const blame = (kind, title, why) => {
    figures[kind]++;
    wrong.push(`${kind}: ${title}: ${why}`);
  };
  for (const row of rows) {
    const times = published.get(row.title) ?? 0;
    if (times > 1) blame('twice', row.title, `published ${times} times`);
    if (row.status === 'posted') {
      figures.posted++;
      if (times === 0) blame('lost', row.title, 'posted, but the platform does not have it');
    } else if (isUnknown(row)) figures.unknown++;
    else if (times > 0) blame('lost', row.title, `${row.status}, but the platform has it`);
  }
  for (const { title, wanted } of posts.values()) {
    const row = byTitle.get(title);
    if (!row) blame('lost', title, 'its creation was confirmed, but it does not exist');
    else if (['scheduled', 'published'].includes(wanted) && row.status !== 'posted' && !isUnknown(row)) {
      // A post that says why it failed is not lost: a person sees it.
      if (row.last_publish_error) figures.failed++;
      else blame('lost', title, `${wanted} was confirmed, but it is ${row.status}`);
    }
  }
  for (const [i, stream] of streams.entries()) {
    const missed = [...posts.values()].filter(({ id }) => !stream.created.has(id)).length;
    const repeated = [...stream.created.values()].filter((times) => times > 1).length;
    figures[`stream ${i + 1}`] = `${stream.created.size} events, ${stream.interruptions} interruptions`;
    if (missed > 0) wrong.push(`stream ${i + 1} missed ${missed} events`);
    if (repeated > 0) wrong.push(`stream ${i + 1} repeated ${repeated} events`);
  }
  return { figures, wrong };
}
