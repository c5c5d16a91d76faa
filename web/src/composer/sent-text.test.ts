import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SocialAccount } from '@airdate/sdk/core';
import { post } from '../../test/draft-examples.js';
import { counterOf, likelyMode, partsOf, sentText } from './sent-text.js';

const fields = (title: string, caption = '', hashtags = '') => ({ title, caption, hashtags });

describe('the text that the platform gets', () => {
  it('has a title only for slides, and only if it has at most 90 UTF-16 units', () => {
    const slides = (title: string) =>
      sentText({ postType: 'slides', mode: 'direct', fields: fields(title, ' Text. ', '#a') });
    assert.deepEqual(slides(` ${'x'.repeat(90)} `), {
      title: 'x'.repeat(90),
      caption: 'Text.',
      hashtags: '#a',
    });
    assert.deepEqual(slides('x'.repeat(91)), {
      title: '',
      caption: 'Text.',
      hashtags: '#a',
      leftOut: 'Titles over 90 characters are left out.',
    });
    // One character, two units.
    assert.equal(slides('🗺'.repeat(46)).title, '');
    const video = sentText({ postType: 'video', mode: 'direct', fields: fields('Maps', 'Text.') });
    assert.deepEqual(video, { title: '', caption: 'Text.', hashtags: '' });
  });

  it('has hashtags up to the first sign that is no letter, wherever they are', () => {
    const tags = (text: string) => partsOf(text).flatMap(({ text: part, isTag }) => (isTag ? part : []));
    assert.deepEqual(tags('Fold #maps, then walk. maps, #Wanderwege_2 #山'), [
      '#maps',
      '#Wanderwege_2',
      '#山',
    ]);
    assert.deepEqual(tags('No. 1, and # alone'), []);
    const text = 'Fold #maps, then walk';
    assert.equal(
      partsOf(text)
        .map((part) => part.text)
        .join(''),
      text,
    );
  });

  it('is empty for a video that goes to the inbox', () => {
    const { leftOut, ...text } = sentText({
      postType: 'video',
      mode: 'inbox',
      fields: fields('Maps', 'Text.', '#a'),
    });
    assert.deepEqual(text, { title: '', caption: '', hashtags: '' });
    assert.match(leftOut ?? '', /without text/);
    assert.equal(
      sentText({ postType: 'slides', mode: 'inbox', fields: fields('Maps', 'Text.') }).title,
      'Maps',
    );
  });

  it('goes out in the mode of the post, or else in that of its account', () => {
    const account = { default_mode: 'inbox' } as SocialAccount;
    assert.equal(likelyMode(undefined, undefined), 'direct');
    assert.equal(likelyMode(post(), account), 'inbox');
    assert.equal(likelyMode(post({ status: 'scheduled', publish_mode: 'direct' }), account), 'direct');
    assert.equal(likelyMode(post({ publish_mode: 'inbox' }), undefined), 'inbox');
  });
});

describe('a counter', () => {
  const slides = { postType: 'slides', mode: 'direct' } as const;
  const video = { postType: 'video', mode: 'direct' } as const;

  it('of the title has the limit of 90 for slides, warns above it, and blocks above 500', () => {
    const of = (length: number) => counterOf('title', { ...slides, fields: fields('x'.repeat(length)) });
    assert.deepEqual(of(12), { count: { now: 12, most: 90, what: 'characters' } });
    assert.equal(of(91).tone, 'warning');
    assert.deepEqual([of(501).count?.most, of(501).tone], [500, 'error']);
  });

  it('of the title of a video says that it is not sent, and counts only near the limit of the API', () => {
    const of = (length: number) => counterOf('title', { ...video, fields: fields('x'.repeat(length)) });
    assert.equal(of(12).count, undefined);
    assert.match(of(12).note ?? '', /Only shown in Airdate/);
    assert.equal(of(450).count?.most, 500);
  });

  it('of the caption of a video counts the hashtags too, with the blank line before them', () => {
    const of = (caption: string, hashtags: string) =>
      counterOf('caption', { ...video, fields: fields('', caption, hashtags) });
    assert.deepEqual(of('abc', '#d').count, { now: 7, most: 2200, what: 'characters with hashtags' });
    assert.match(of('x'.repeat(2200), '#d').note ?? '', /by 4 to publish/);
    assert.equal(of('x'.repeat(2200), '#d').tone, 'error');
    assert.equal(of('x'.repeat(2201), '').count?.what, 'characters');
  });

  it('of the caption of slides has the limit of the API, until both texts together are too long', () => {
    const of = (caption: string) => counterOf('caption', { ...slides, fields: fields('', caption, '#d') });
    assert.deepEqual(of('abc').count, { now: 3, most: 2200, what: 'characters' });
    assert.deepEqual(of('🗺'.repeat(2100)).count, {
      now: 4204,
      most: 4000,
      what: 'characters with hashtags',
    });
  });
});
