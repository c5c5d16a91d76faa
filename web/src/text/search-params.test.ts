import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANALYTICS, CALENDAR, LIBRARY, SETTINGS, searchBy } from './search-params.js';

describe('the parameters of a URL', () => {
  it('are read by the schema of their screen', () => {
    const search = { status: 'draft', type: 'video', q: 'maps', page: 3, attention: true, label: 'l' };
    assert.deepEqual(searchBy(LIBRARY)(search), search);
    assert.deepEqual(searchBy(ANALYTICS)({ days: '7', page: '2', outcome: 'unknown' }), {
      days: 7,
      page: 2,
      outcome: 'unknown',
    });
  });

  it('are left out if the screen does not understand them', () => {
    const search = { status: 'lost', type: '', q: 7, page: 1, attention: 'yes', sort: 'size', other: 'x' };
    assert.deepEqual(searchBy(LIBRARY)(search), {});
    assert.deepEqual(searchBy(ANALYTICS)({ days: 8, page: 1.5 }), {});
  });

  it('name days that exist', () => {
    assert.deepEqual(searchBy(CALENDAR)({ date: '2026-12-01', view: 'week' }), {
      date: '2026-12-01',
      view: 'week',
    });
    assert.deepEqual(searchBy(SETTINGS)({ from: 'today', to: '2026-13-01' }), {});
  });
});
