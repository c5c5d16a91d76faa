// At the end: what the posts say against what the platform has. Nothing twice, nothing lost.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const SETTLED_WITHIN_MS = 90_000;

const isUnknown = ({ last_publish_error: error }) => error?.startsWith('The outcome is unknown') ?? false;
const isWaiting = (row) => ['scheduled', 'publishing'].includes(row.status) && !isUnknown(row);

/** The posts and the titles of open attempts, once nothing waits for a worker any more or the time is up. */
async function settledPosts(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const until = Date.now() + SETTLED_WITHIN_MS; ; await delay(500)) {
      const { rows } = await client.query('select id, title, status, last_publish_error from posts');
      const { rows: open } = await client.query(
        `select title from dispatches join posts on posts.org_id = dispatches.org_id and posts.id = dispatches.post_id
          where outcome in ('started', 'accepted')`,
      );
      if ((!rows.some(isWaiting) && open.length === 0) || Date.now() > until)
        return { rows, open: open.map(({ title }) => title) };
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
  const settled = await settledPosts(databaseUrl);
  return verdictOf({ ...settled, published: await publishedByTitle(sandboxUrl), posts, streams });
}

export function verdictOf({ rows, open, published, posts, streams }) {
  const byTitle = new Map(rows.map((row) => [row.title, row]));
  const wrong = [];
  const figures = { posts: rows.length, posted: 0, unknown: 0, failed: 0, unsettled: 0, twice: 0, lost: 0 };
  const blame = (kind, title, why) => {
    figures[kind]++;
    wrong.push(`${kind}: ${title}: ${why}`);
  };
  for (const title of open) blame('unsettled', title, 'its attempt is still open');
  for (const row of rows) {
    const times = published.get(row.title) ?? 0;
    if (times > 1) blame('twice', row.title, `published ${times} times`);
    if (row.status === 'posted') {
      figures.posted++;
      if (times === 0) blame('lost', row.title, 'posted, but the platform does not have it');
    } else if (isUnknown(row)) figures.unknown++;
    else if (isWaiting(row)) blame('unsettled', row.title, `still ${row.status}: ${row.last_publish_error}`);
    else if (times > 0) blame('lost', row.title, `${row.status}, but the platform has it`);
  }
  for (const { title, wanted } of posts.values()) {
    const row = byTitle.get(title);
    if (!row) blame('lost', title, 'its creation was confirmed, but it does not exist');
    else if (
      ['scheduled', 'published'].includes(wanted) &&
      row.status !== 'posted' &&
      !isWaiting(row) &&
      !isUnknown(row)
    )
      if (row.last_publish_error)
        // The platform of the trial refuses nothing, and no slot is missed by hours: no phase explains a failure.
        blame('failed', title, `${wanted} was confirmed, but: ${row.last_publish_error}`);
      else blame('lost', title, `${wanted} was confirmed, but it is ${row.status}`);
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
