// The import of a file: checked by the API, corrected here, imported.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { withIdempotencyKey } from '../../api/idempotency-keys.js';
import { refreshPosts } from '../../api/queries.js';
import { zoneName } from '../../text/time.js';
import { columnNamed, parseTable, type Table, toCsv, withCells, withColumn } from './csv.js';
import { readImported } from './imported.js';

interface Chosen {
  name: string;
  /** As it was chosen, until a cell is corrected. */
  csv: string;
  table: Table;
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

  const change = (to: (table: Table) => Table) => {
    if (!chosen) return;
    const table = to(chosen.table);
    setChosen({ ...chosen, table, csv: toCsv(table), isChanged: true });
  };

  const checkAgain = (more: Partial<Answers> = {}) => {
    if (!chosen) return;
    const all = { ...answers, ...more };
    setAnswers(all);
    setChosen({ ...chosen, isChanged: false });
    check.mutate({ csv: chosen.csv, answers: all });
  };

  return {
    chosen,
    answers,
    check,
    run,
    /** Some problem is of a cell, which can be corrected here. */
    canCorrect:
      chosen?.isChanged === true ||
      check.data?.problems.some(
        ({ line, column }) =>
          column !== null && (line > 1 || (chosen !== null && columnNamed(chosen.table, column) !== -1)),
      ) === true,
    async choose(file: File) {
      run.reset();
      const csv = await file.text();
      // Another file, other questions; its times are of the same zone.
      const asked = { time_zone: answers.time_zone };
      setAnswers(asked);
      setChosen({ name: file.name, csv, table: parseTable(csv), isChanged: false });
      check.mutate({ csv, answers: asked });
    },
    correct: (lines: readonly number[], column: string, value: string) =>
      change((table) => withCells(table, lines, column, value)),
    rename: (at: number, name: string) => change((table) => withColumn(table, at, name)),
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
