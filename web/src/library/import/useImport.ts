// The import of a file: checked by the API, corrected here, imported.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { withIdempotencyKey } from '../../api/idempotency-keys.js';
import { refreshPosts } from '../../api/queries.js';
import { zoneName } from '../../text/time.js';
import { columnNamed, parseTable, type Table, toCsv, withCell, withColumn } from './csv.js';

interface Chosen {
  name: string;
  /** As it was chosen, until a cell is corrected. */
  csv: string;
  table: Table;
  /** A cell was corrected since the last check. */
  isChanged: boolean;
}

const send = (csv: string, dry_run: boolean) => {
  const body = { csv, time_zone: zoneName(), dry_run };
  return withIdempotencyKey(dry_run ? 'import check' : 'import', body, (key) =>
    api.data('POST', '/api/v1/posts/import', { body, idempotencyKey: key }),
  );
};

export function useImport() {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const check = useMutation({ mutationFn: (csv: string) => send(csv, true) });
  const run = useMutation({
    mutationFn: (csv: string) => send(csv, false),
    onSuccess: () => refreshPosts(client),
  });

  const change = (to: (table: Table) => Table) => {
    if (!chosen) return;
    const table = to(chosen.table);
    setChosen({ ...chosen, table, csv: toCsv(table), isChanged: true });
  };

  return {
    chosen,
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
      setChosen({ name: file.name, csv, table: parseTable(csv), isChanged: false });
      check.mutate(csv);
    },
    correct: (line: number, column: string, value: string) =>
      change((table) => withCell(table, line, column, value)),
    rename: (at: number, name: string) => change((table) => withColumn(table, at, name)),
    checkAgain() {
      if (!chosen) return;
      setChosen({ ...chosen, isChanged: false });
      check.mutate(chosen.csv);
    },
    begin: () => chosen && run.mutate(chosen.csv),
    reset() {
      setChosen(null);
      check.reset();
      run.reset();
    },
  };
}

export type Import = ReturnType<typeof useImport>;
