// Every sample of the documents is run by a test, or says why it is not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  DOCUMENTS,
  isRun,
  LANGUAGES,
  samplesOf,
  sections,
  sectionsUnder,
  shellUnder,
  withTexts,
} from './samples/samples.js';

describe('the samples of the documents', () => {
  it('are found by heading, and a missing one is a failure', () => {
    const text =
      '# A\n```sh run\n# not a heading\none\n```\n## B\n```json\n{}\n```\n### C\n```sh run\ntwo\n```\n## D\n';
    const found = (title: string) =>
      sectionsUnder(title, sections(text)).map(({ samples }) => samples.filter(isRun).map((one) => one.text));
    assert.deepEqual(found('A'), [['# not a heading\none\n'], [], ['two\n'], []]);
    assert.deepEqual(found('B'), [[], ['two\n']]);
    assert.throws(() => found('E'), /there are 0 headings "E"/);
    assert.throws(() => shellUnder('README.md', 'More'), /has nothing to type under "More"/);
    assert.throws(() => withTexts('PORT=1', { 'PORT=2': 'PORT=3' }), /does not say PORT=2/);
  });

  for (const document of DOCUMENTS)
    it(`are run, or say why not: ${document}`, () => {
      const runnable = samplesOf(document).filter(({ language }) => LANGUAGES.includes(language));
      const unmarked = runnable.filter((sample) => !isRun(sample) && !/^not run: \S+ \S+/.test(sample.mark));
      assert.deepEqual(unmarked, []);
      for (const { text } of runnable.filter((one) => one.language === 'json' && isRun(one)))
        JSON.parse(text);
    });
});
