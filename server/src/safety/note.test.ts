import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOfRestore, type Installation, type Note, readNote, writeNote } from './note.js';

const row = (changes: Partial<Installation> = {}): Installation => ({
  id: 1,
  installation_id: 'mine',
  counter: 10,
  noted_at: 0,
  store_noted: 1,
  epoch: 0,
  safe_since: null,
  safe_reason: null,
  restored_to: null,
  released_at: null,
  first_sweep: null,
  ...changes,
});
const note = (counter: number, installationId = 'mine'): Note => ({ installationId, counter, notedAt: 0 });

describe('a restored database is recognized', () => {
  const cases: [string, Installation | null, Note | null, Note | null, RegExp | null][] = [
    ['first start', null, null, null, null],
    ['both agree', row(), note(10), null, null],
    ['the store is behind: another process has only raised the database yet', row(), note(9), null, null],
    ['the store is ahead', row(), note(11), null, /older than the file store/],
    ['moved elsewhere', row(), { ...note(11), movedAt: 0 }, null, /moved to another database at 1970/],
    ['moved, and started again since', row({ counter: 12 }), { ...note(11), movedAt: 0 }, null, null],
    ['another installation’s store', row(), note(1, 'theirs'), null, /different installations/],
    ['no row, but a note', null, note(3), null, /old backup/],
    ['no note, although the store had one', row(), null, null, /no note of this installation/],
    ['no note yet', row({ store_noted: 0 }), null, null, null],
    ['behind what this process wrote', row(), note(10), note(12), /lost changes/],
    ['gone beneath a running process', null, null, note(12), /lost changes/],
    ['another database beneath a running process', row(), note(10), note(3, 'old'), /lost changes/],
    ['entered, and killed before the note', row({ safe_since: 1, epoch: 10 }), note(9, 'theirs'), null, null],
    [
      'restored again in safe mode',
      row({ safe_since: 1, epoch: 5 }),
      note(20),
      null,
      /older than the file store/,
    ],
  ];
  for (const [title, database, store, remembered, reason] of cases)
    it(`${title}: ${reason ? 'restored' : 'not restored'}`, () => {
      const found = evidenceOfRestore({ database, store, isNoteExpected: true, remembered });
      if (reason) assert.match(found ?? '', reason);
      else assert.equal(found, null);
    });

  it('a note that another process wrote after the store was asked is not missed', () => {
    const evidence = { database: row(), store: null, isNoteExpected: false, remembered: null };
    assert.equal(evidenceOfRestore(evidence), null);
  });

  it('tells the operator when the newer state was last in use', () => {
    const store = { ...note(11), notedAt: Date.parse('2026-12-01T09:00:00Z') };
    const reason = evidenceOfRestore({ database: row(), store, isNoteExpected: true, remembered: null });
    assert.match(reason ?? '', /last in use at 2026-12-01T09:00:00Z/);
  });
});

describe('the note', () => {
  it('is read as it was written, to the second', () => {
    const written = { installationId: 'mine', counter: 7, notedAt: Date.parse('2026-12-01T09:00:00Z') };
    assert.deepEqual(readNote(writeNote(written)), written);
    const moved = { ...written, movedAt: Date.parse('2026-12-02T09:00:00Z') };
    assert.deepEqual(readNote(writeNote(moved)), moved);
  });

  it('fits no installation when it is damaged', () => {
    for (const text of [
      '',
      '{',
      '[]',
      'null',
      '{"installation_id":1,"counter":2}',
      '{"installation_id":"x","counter":-1}',
    ])
      assert.equal(readNote(Buffer.from(text)).installationId, '', text);
  });
});
