// The import of posts: a file is checked, then all its posts are written, or none.
import type { App, TxApp } from '../../app/app.js';
import type { Tx } from '../../db/database.js';
import type { CallerWithAddress } from '../../request/caller.js';
import { type CheckedImport, checkImport } from './check.js';
import type { ImportedFiles } from './files.js';
import { assertNoProblems } from './problems.js';
import type { ImportPosts, ImportResult } from './schema.js';
import { writeImport } from './write.js';

/** Outside the transaction: everything that a file can be refused for. */
export async function prepareImport(
  app: App,
  caller: CallerWithAddress,
  input: ImportPosts,
  files: ImportedFiles,
  gone: AbortSignal,
): Promise<CheckedImport> {
  const found = await checkImport(app, caller, input, files.maxPerPost, gone);
  if (!input.dry_run) assertNoProblems(found);
  return found;
}

export async function finishImport(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  { dry_run: isDry = false }: ImportPosts,
  files: ImportedFiles,
  found: CheckedImport,
): Promise<ImportResult> {
  const { lines, scheduled, media, localTimes, newLabels, problemCount, problems, posts } = found;
  if (!isDry) await writeImport(app, tx, caller, found, () => files.write(app, tx, caller, posts));
  const fetch = isDry || media === 0 ? {} : { fetch: await files.forecast(app, tx, caller.orgId, posts) };
  const ids = isDry ? [] : posts.map(({ post }) => post.id);
  return {
    dry_run: isDry,
    lines,
    drafts: lines - scheduled,
    scheduled,
    media,
    local_times: localTimes,
    new_labels: newLabels.map(({ name }) => name),
    created: ids.length,
    ids,
    ...fetch,
    problem_count: problemCount,
    problems,
  };
}
