// The ids in a sample are those of the document's examples. A reader has others, so each sample begins with them, by name.
import type { Call } from './call.js';

export interface OwnId {
  /** In the case of Python. */
  name: string;
  /** As in the examples of the document. */
  value: string;
  meaning: string;
}

/** By the segment of the path before the id, or by the field of the query or the body. */
const KINDS: Readonly<Record<string, readonly [name: string, meaning: string]>> = {
  posts: ['post', 'the id of one of your posts'],
  'social-accounts': ['account', 'the id of one of your accounts'],
  labels: ['label', 'the id of one of your labels'],
  snippets: ['snippet', 'the id of one of your snippets'],
  webhooks: ['webhook', 'the id of one of your webhooks'],
  deliveries: ['delivery', 'the id of one of its deliveries'],
  dispatches: ['dispatch', 'the id of one of your attempts'],
  uploads: ['upload', 'the id of an upload to this post'],
  keys: ['key_id', 'the id of an API key'],
  members: ['member', 'the id of a member'],
  invitations: ['invitation', 'the id of an open invitation'],
  sessions: ['session_id', 'the id of another session'],
  organizations: ['organization', 'the id of an organization'],
};
const FIELDS: Readonly<Record<string, readonly [name: string, meaning: string]>> = {
  social_account_id: KINDS['social-accounts'] as [string, string],
  id: KINDS.posts as [string, string],
  ids: KINDS.posts as [string, string],
  object_key: ['object_key', 'the key of one of its files'],
  order: ['object_key', 'the key of one of its files'],
};

/** In the order of the request: path, query, body. */
export function ownIdsOf({ template, path, query, body }: Call): OwnId[] {
  const inPath = [...template.matchAll(/([\w-]+)\/\{(\w+)\}/g)].flatMap(
    ([, segment = '', parameter = '']) => {
      const kind = KINDS[segment];
      const value = path[parameter];
      return kind && value ? [{ kind, value }] : [];
    },
  );
  const all = [...inPath, ...inFields(query), ...inFields(body)];
  const different = all.filter(({ value }, n) => all.findIndex((one) => one.value === value) === n);
  return different.map(({ kind, value }, n) => {
    const same = different.slice(0, n).filter((one) => one.kind[0] === kind[0]).length;
    return { name: same === 0 ? kind[0] : `${kind[0]}_${same + 1}`, value, meaning: kind[1] };
  });
}

type Found = { kind: readonly [name: string, meaning: string]; value: string };

function inFields(value: unknown, field = ''): Found[] {
  const kind = FIELDS[field];
  if (typeof value === 'string') return kind ? [{ kind, value }] : [];
  if (Array.isArray(value)) return value.flatMap((one) => inFields(one, field));
  return Object.entries(Object(value)).flatMap(([name, one]) => inFields(one, name));
}

/** The text with something else in place of each id; the longest first, because the key of a file contains the id of its post. */
export const withNames = (
  text: string,
  ids: readonly OwnId[],
  write: (id: OwnId) => [string, string],
): string =>
  [...ids]
    .sort((a, b) => b.value.length - a.value.length)
    .reduce((changed, id) => changed.replaceAll(...write(id)), text);
