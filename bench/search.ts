// What a search costs: for a word that one post has, for one that all have, and for a query made to cost as much as possible.
import { median, timeInTurn } from './measure.js';
import type { Running } from './processes.js';
import { RARE_WORD } from './seed.js';

/** Each character folds to four. */
const LONG = '\u2057';

/** The trigrams of the hostile query are in every hostile post, in another order, so the index does not exclude any of them. */
const HOSTILE_TITLE = `x${LONG}y y${LONG}x ${LONG.repeat(490)}`;
const HOSTILE_QUERY = `${LONG.repeat(8)}x${LONG}y${LONG}x${LONG.repeat(8)}`;
const HOSTILE_POSTS = 300;

const ROUNDS = 5;

const QUERIES = { 'a rare word': RARE_WORD, 'a frequent word': 'caption', 'a hostile query': HOSTILE_QUERY };

type Headers = Record<string, string>;

/** Milliseconds by kind of query. */
export type Times = Map<string, number>;

/** Of an organization, before a large one is there. Stops the process. */
export async function searchAlone({ url, stop }: Running, headers: Headers, times: number): Promise<Times> {
  try {
    return await withHostilePosts(url, [headers], () => timesOf(url, headers, times));
  } finally {
    await stop();
  }
}

/** A large organization relative to a small one, and the small one beside it relative to alone. */
export async function compareSearches(
  url: string,
  small: Headers,
  large: Headers,
  alone: Times,
  times: number,
): Promise<{ what: string; growth: number; beside: number }[]> {
  return withHostilePosts(url, [small, large], async () => {
    // Alternating, so that other load on the machine affects both alike.
    const rounds: [ofSmall: Times, ofLarge: Times][] = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push([await timesOf(url, small, times / ROUNDS), await timesOf(url, large, times / ROUNDS)]);
    return Object.keys(QUERIES).map((what) => {
      const pairs = rounds.map((round) => round.map((measured) => measured.get(what) as number) as Pair);
      return {
        what,
        growth: median(pairs.map(([ofSmall, ofLarge]) => ofLarge / ofSmall)),
        beside: median(pairs.map(([ofSmall]) => ofSmall)) / (alone.get(what) as number),
      };
    });
  });
}

type Pair = [ofSmall: number, ofLarge: number];

async function timesOf(url: string, headers: Headers, times: number): Promise<Times> {
  const measured: Times = new Map();
  for (const [what, q] of Object.entries(QUERIES)) {
    const [ms] = await timeInTurn([`${url}/api/v1/posts?q=${encodeURIComponent(q)}`], headers, times);
    measured.set(what, ms as number);
  }
  return measured;
}

/** Measures while each organization has hostile posts, the newest, and deletes them again. */
async function withHostilePosts<T>(
  url: string,
  organizations: Headers[],
  measure: () => Promise<T>,
): Promise<T> {
  const made: [headers: Headers, path: string][] = [];
  const body = JSON.stringify({ title: HOSTILE_TITLE, caption: LONG.repeat(2_200) });
  for (const headers of organizations)
    for (let i = 0; i < HOSTILE_POSTS; i++) {
      const response = await fetch(`${url}/api/v1/posts`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      });
      if (response.status !== 201) throw new Error(`creating a post answered ${response.status}`);
      await response.text();
      made.push([headers, response.headers.get('location') as string]);
    }
  try {
    return await measure();
  } finally {
    for (const [headers, path] of made) await fetch(url + path, { method: 'DELETE', headers });
  }
}
