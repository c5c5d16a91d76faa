import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Evidence,
  type Installation,
  judge,
  type NoteVerdict,
  parseNote,
  serializeNote,
  type Watermark,
} from './note.js';

/** A tag is twelve characters. */
const tagged = (name: string) => name.padEnd(12, '-');

const row = (changes: Partial<Installation> = {}): Installation => ({
  id: 1,
  installation_id: 'mine',
  counter: 10,
  recent_tags: `10:${tagged('ten')} 9:${tagged('nine')} 8:cut`,
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
const note = (counter: number, changes: Partial<Watermark> = {}): Watermark => ({
  installationId: 'mine',
  counter,
  tag: null,
  notedAt: 0,
  ...changes,
});
const theirs = (counter: number) => note(counter, { installationId: 'theirs' });
const wrote = (remembered: Watermark): Partial<Evidence> => ({ remembered, hasWritten: true });

describe('database and note are compared', () => {
  const cases: [
    string,
    Installation | null,
    Evidence['store'],
    Partial<Evidence>,
    NoteVerdict['kind'],
    RegExp?,
  ][] = [
    ['first start', null, 'absent', {}, 'sound'],
    ['both agree', row(), note(10, { tag: tagged('ten') }), {}, 'sound'],
    ['a note without a tag', row(), note(10), {}, 'sound'],
    ['the store is behind: another process has only raised the database yet', row(), note(9), {}, 'sound'],
    ['the store is far behind: its tag is not known any more', row(), note(8, { tag: 'other' }), {}, 'sound'],
    ['the store is ahead', row(), note(11), {}, 'restored', /older than the file store/],
    [
      'the store is ahead of a running process',
      row(),
      note(11),
      wrote(note(10)),
      'restored',
      /older than the/,
    ],
    [
      'the database lost a raise and was raised again',
      row(),
      note(10, { tag: tagged('lost') }),
      {},
      'restored',
      /lost changes that the file store knows of/,
    ],
    [
      'the database lost a raise and was raised twice',
      row(),
      note(9, { tag: tagged('lost') }),
      {},
      'restored',
      /lost changes/,
    ],
    ['moved elsewhere', row(), note(11, { movedAt: 0 }), {}, 'restored', /moved to another database at 1970/],
    ['moved, and started again since', row({ counter: 12 }), note(11, { movedAt: 0 }), {}, 'sound'],
    ['another installation’s store', row(), theirs(1), {}, 'suspicious', /different installations/],
    ['no row, but a note', null, note(3), {}, 'suspicious', /old backup/],
    [
      'no note, although the store had one',
      row(),
      'absent',
      {},
      'suspicious',
      /no note of this installation/,
    ],
    ['no note yet', row({ store_noted: 0 }), 'absent', {}, 'sound'],
    ['behind what this process wrote', row(), note(10), wrote(note(12)), 'restored', /lost changes/],
    [
      'raised again since this process wrote it',
      row(),
      note(10),
      wrote(note(10, { tag: tagged('mine') })),
      'restored',
      /lost changes/,
    ],
    ['gone beneath a running process', null, 'absent', wrote(note(12)), 'restored', /lost changes/],
    [
      'another database beneath a running process',
      row(),
      note(10),
      wrote(note(3, { installationId: 'old' })),
      'restored',
      /lost changes/,
    ],
    ['a damaged note', row(), 'damaged', {}, 'unreadable', /airdate\/alive in the file store is damaged/],
    ['a damaged note that may be another’s', null, 'damaged', {}, 'suspicious', /may be another/],
    ['a damaged note that this database never wrote', row({ store_noted: 0 }), 'damaged', {}, 'suspicious'],
    ['a damaged note beside a running process', row(), 'damaged', wrote(note(9)), 'unreadable', /is damaged/],
    ['a note that is suddenly missing', row(), 'absent', wrote(note(10)), 'unreadable', /is missing/],
    [
      'a note that was suddenly replaced',
      row(),
      theirs(99),
      wrote(note(10)),
      'unreadable',
      /another installation/,
    ],
    [
      'another’s note in safe mode',
      row({ safe_since: 1, epoch: 10 }),
      theirs(9),
      {},
      'unreadable',
      /another installation/,
    ],
    ['entered, and killed before the note', row({ safe_since: 1, epoch: 10 }), note(9), {}, 'sound'],
    [
      'restored again in safe mode',
      row({ safe_since: 1, epoch: 5 }),
      note(20),
      {},
      'restored',
      /older than the file store/,
    ],
  ];
  for (const [title, database, store, more, kind, reason] of cases)
    it(`${title}: ${kind}`, () => {
      const evidence = { isNoteExpected: true, remembered: null, hasWritten: false, ...more };
      const found = judge({ ...evidence, database, store });
      assert.equal(found.kind, kind);
      if (reason) assert.match('reason' in found ? found.reason : '', reason);
    });

  it('a note that another process wrote after the store was asked is not missed', () => {
    const evidence = { isNoteExpected: false, remembered: null, hasWritten: false };
    assert.equal(judge({ ...evidence, database: row(), store: 'absent' }).kind, 'sound');
  });

  it('tells the operator when the newer state was last in use', () => {
    const store = note(11, { notedAt: Date.parse('2026-12-01T09:00:00Z') });
    const evidence = { isNoteExpected: true, remembered: null, hasWritten: false };
    const found = judge({ ...evidence, database: row(), store });
    assert.match('reason' in found ? found.reason : '', /last in use at 2026-12-01T09:00:00Z/);
  });
});

describe('the note', () => {
  it('is read as it was written, to the second', () => {
    const written = note(7, { tag: tagged('seven'), notedAt: Date.parse('2026-12-01T09:00:00Z') });
    assert.deepEqual(parseNote(serializeNote(written)), written);
    const moved = { ...written, tag: null, movedAt: Date.parse('2026-12-02T09:00:00Z') };
    assert.deepEqual(parseNote(serializeNote(moved)), moved);
  });

  it('is damaged if it is no note, and not absent', () => {
    const whole = serializeNote(note(7));
    for (const bytes of [
      ...[
        '',
        '{',
        '[]',
        'null',
        '{"installation_id":1,"counter":2}',
        '{"installation_id":"x","counter":-1}',
      ].map((text) => Buffer.from(text)),
      whole.subarray(0, whole.length / 2),
    ])
      assert.equal(parseNote(bytes), 'damaged', bytes.toString());
    assert.equal(parseNote(null), 'absent');
  });
});
