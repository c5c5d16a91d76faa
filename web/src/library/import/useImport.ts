// The import of a file: checked by the API, corrected here, imported.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { withIdempotencyKey } from '../../api/idempotency-keys.js';
import { refreshPosts } from '../../api/queries.js';
import { zoneName } from '../../text/time.js';
import { withNameAt, withoutColumns } from './columns.js';
import { parseTable, type Table, toCsv, withCells, withColumn } from './csv.js';
import { readImported } from './imported.js';
import { withApiValues } from './values.js';

interface Chosen {
  name: string;
  /** As it was chosen, until a cell is corrected. */
  csv: string;
  table: Table;
  /** The places of the columns that the next check leaves out. */
  leftOut: ReadonlySet<number>;
  /** A cell was corrected since the last check. */
  isChanged: boolean;
}

/** What holds for the whole file: each is asked once. */
export interface Answers {
  time_zone: string;
  default_status?: 'scheduled' | 'draft';
  create_labels?: boolean;
}

interface Sent {
  csv: string;
  answers: Answers;
}

const send = ({ csv, answers }: Sent, dry_run: boolean) => {
  const body = { csv, ...answers, dry_run };
  return withIdempotencyKey(dry_run ? 'import check' : 'import', body, (key) =>
    api.data('POST', '/api/v1/posts/import', { body, idempotencyKey: key }),
  );
};

const NONE: ReadonlySet<number> = new Set();

const unanswered = (): Answers => ({ time_zone: zoneName() });

export function useImport() {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [answers, setAnswers] = useState<Answers>(unanswered);
  const check = useMutation({ mutationFn: (sent: Sent) => send(sent, true) });
  const run = useMutation({
    mutationFn: async (sent: Sent) => {
      const done = await send(sent, false);
      // Without them, everything is imported all the same.
      return { ...done, posts: await readImported(done.ids).catch(() => null) };
    },
    onSuccess: () => refreshPosts(client),
  });

  const change = (to: (table: Table) => Table, leftOut = chosen?.leftOut ?? NONE) => {
    if (!chosen) return;
    const table = to(chosen.table);
    setChosen({ ...chosen, table, leftOut, csv: toCsv(withoutColumns(table, leftOut)), isChanged: true });
  };

  const checkAgain = (more: Partial<Answers> = {}) => {
    if (!chosen) return;
    const all = { ...answers, ...more };
    setAnswers(all);
    // A column that has just got its name has values, too.
    const kept = withoutColumns(chosen.table, chosen.leftOut);
    const table = withApiValues(kept);
    const csv = table === kept ? chosen.csv : toCsv(table);
    setChosen({ ...chosen, csv, table, leftOut: NONE, isChanged: false });
    check.mutate({ csv, answers: all });
  };

  return {
    chosen,
    answers,
    check,
    run,
    /** Some problem is of a cell, which can be corrected here. */
    canCorrect:
      chosen?.isChanged === true || check.data?.problems.some(({ column }) => column !== null) === true,
    async choose(file: File) {
      run.reset();
      const text = await file.text();
      const asWritten = parseTable(text);
      const table = withApiValues(asWritten);
      const csv = table === asWritten ? text : toCsv(table);
      // Another file, other questions; its times are of the same zone.
      const asked = { time_zone: answers.time_zone };
      setAnswers(asked);
      setChosen({ name: file.name, csv, table, leftOut: NONE, isChanged: false });
      check.mutate({ csv, answers: asked });
    },
    correct: (lines: readonly number[], column: string, value: string) =>
      change((table) => withCells(table, lines, column, value)),
    rename: (at: number, name: string) =>
      change(
        (table) => withColumn(table, at, name),
        new Set([...(chosen?.leftOut ?? [])].filter((one) => one !== at)),
      ),
    /** A column of the file gets a name, and the one that had it before its own. */
    nameInstead: (at: number, name: string, before: number, own: string) =>
      change((table) => withNameAt(table, at, name, before, own)),
    isLeftOut: (at: number) => chosen?.leftOut.has(at) === true,
    /** Under its own name, so that another column can have the one that it was given. */
    leaveOut: (at: number, own: string) =>
      change((table) => withColumn(table, at, own), new Set([...(chosen?.leftOut ?? []), at])),
    checkAgain: () => checkAgain(),
    answer: checkAgain,
    begin: () => chosen && run.mutate({ csv: chosen.csv, answers }),
    reset() {
      setChosen(null);
      setAnswers(unanswered());
      check.reset();
      run.reset();
    },
  };
}

export type Import = ReturnType<typeof useImport>;
