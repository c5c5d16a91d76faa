import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Draft } from '../connector.js';
import { textFindings } from './checks.js';
import { joinCaption, textFields } from './requests.js';

const draft = (changes: Partial<Draft>): Draft => ({
  type: 'video',
  mode: 'direct',
  title: 'A title',
  caption: null,
  hashtags: null,
  privacyLevel: 'SELF_ONLY',
  disableComment: false,
  disableDuet: false,
  disableStitch: false,
  isBrandedContent: false,
  isOwnBrand: false,
  ...changes,
});
const codes = (changes: Partial<Draft>) => textFindings(draft(changes)).map(({ code }) => code);

describe('the caption', () => {
  it('is caption and hashtags with a blank line between, or the one that is there', () => {
    const rows: [caption: string | null, hashtags: string | null, text: string][] = [
      ['Maps', '#maps', 'Maps\n\n#maps'],
      [' Maps\n', ' #maps ', 'Maps\n\n#maps'],
      ['Maps', null, 'Maps'],
      ['', '#maps', '#maps'],
      [' ', '', ''],
      [null, null, ''],
    ];
    for (const [caption, hashtags, text] of rows) assert.equal(joinCaption({ caption, hashtags }), text);
  });

  it('may have 2200 units for videos and 4000 for slides, and is never cut', () => {
    const longest = 'é'.repeat(2200);
    assert.deepEqual(codes({ caption: longest }), []);
    assert.equal(textFields(draft({ caption: longest })).title, longest);
    assert.deepEqual(codes({ caption: `${longest}e` }), ['caption_too_long']);
    assert.equal(textFields(draft({ caption: `${longest}e` })).title?.length, 2201);
    assert.deepEqual(codes({ caption: '😀'.repeat(1100) }), []);
    assert.deepEqual(codes({ caption: `${'😀'.repeat(1100)}a` }), ['caption_too_long']);
    assert.deepEqual(codes({ type: 'slides', caption: 'a'.repeat(4000) }), []);
    assert.deepEqual(codes({ type: 'slides', caption: 'a'.repeat(3998), hashtags: '#' }), [
      'caption_too_long',
    ]);
  });

  it('is not sent with an inbox video, which is reported', () => {
    assert.deepEqual(textFields(draft({ mode: 'inbox', caption: 'Maps' })), {});
    assert.deepEqual(codes({ mode: 'inbox', caption: 'Maps' }), ['text_not_sent']);
    assert.deepEqual(codes({ mode: 'inbox' }), []);
  });
});

describe('the title', () => {
  it('goes with slides up to 90 units, and is left out with a warning above', () => {
    const slides = { type: 'slides', caption: 'Maps' } as const;
    const title = 'a'.repeat(90);
    assert.deepEqual(textFields(draft({ ...slides, title })), { title, description: 'Maps' });
    assert.deepEqual(codes({ ...slides, title }), []);
    assert.deepEqual(textFields(draft({ ...slides, title: `${title}a` })), { description: 'Maps' });
    const [finding] = textFindings(draft({ ...slides, title: `${title}a` }));
    assert.deepEqual(
      [finding?.level, finding?.code, finding?.pointer],
      ['warning', 'title_not_sent', '/title'],
    );
    assert.deepEqual(codes({ ...slides, title: '😀'.repeat(46) }), ['title_not_sent']);
  });

  it('is ours alone for videos', () => {
    assert.deepEqual(textFields(draft({ title: 'a'.repeat(500) })), {});
    assert.deepEqual(codes({ title: 'a'.repeat(500) }), []);
  });
});
