// A post as its commands print it: for people with the names of its labels, for programs as the API sends it.
import type { Post } from '@airdate/sdk';
import type { Context } from './context.js';

export async function printPost(context: Context, post: Post): Promise<void> {
  const { output } = context;
  output.object(output.isJson ? post : { ...post, labels: await namesOf(context, post.labels) });
}

async function namesOf({ airdate, signal }: Context, ids: readonly string[]): Promise<string | null> {
  if (ids.length === 0) return null;
  const names = new Map<string, string>();
  try {
    for await (const { id, name } of airdate.labels.list({}, { signal })) names.set(id, name);
  } catch {
    // The post may just have been created, and its id is needed: without names it is printed with those of its labels.
  }
  return ids.map((id) => names.get(id) ?? id).join(', ');
}
