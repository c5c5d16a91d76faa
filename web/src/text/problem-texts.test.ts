import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { findingText, forPeople, isForPeople, PROBLEM_TEXTS } from './problem-texts.js';

type Code = keyof typeof PROBLEM_TEXTS;

const CODES = Object.keys(PROBLEM_TEXTS) as Code[];
/** Of the API, for the developers of its clients. */
const TECHNICAL = [
  'Send an API key as "Authorization: Bearer <API_KEY>".',
  'This needs posts:write, which your role (viewer) does not have. Ask an owner.',
  'Send scheduled_at with an offset.',
  'PUT it to its upload URL first.',
  'The account has reached its limit. Publish the post after the time in Retry-After.',
];
const root = new URL('../../../../', import.meta.url);

const problem = (code: Code, detail: string, errors?: { pointer: string; message: string }[]) => ({
  ...{ code, status: 409, detail },
  ...(errors ? { errors } : {}),
});

describe('the text of a problem', () => {
  for (const code of CODES)
    it(`is for people: ${code}`, () => {
      for (const detail of TECHNICAL) {
        const errors = [{ pointer: '/scheduled_at', message: 'must be ISO 8601, see scheduled_at' }];
        const shown = forPeople(problem(code, detail, errors));
        for (const text of [shown.detail, ...(shown.errors ?? []).map(({ message }) => message)]) {
          assert.ok(text !== detail && isForPeople(text), text);
          assert.ok(text.length > 10, text);
        }
      }
    });

  it('is a text of ours for a code that is newer than the page', () => {
    for (const status of [409, 500]) {
      const shown = forPeople({ ...problem('busy', 'Send x_y.'), code: 'brand_new' as Code, status });
      assert.ok(isForPeople(shown.detail) && shown.detail.length > 10);
    }
  });

  it('is the one of the API where it tells what only the API knows', () => {
    const said = 'The file my_slide.png is 12 MB too large (media_rejected)';
    assert.equal(
      forPeople(problem('media_rejected', said)).detail,
      'The file my_slide.png is 12 MB too large.',
    );
  });

  it('keeps the rule of a field that only the operator can lift', () => {
    const message = 'must begin with https:// unless the operator allows it (WEBHOOK_ALLOW)';
    const [error] =
      forPeople({ ...problem('validation_failed', ''), errors: [{ pointer: '/url', message }] }).errors ?? [];
    assert.equal(error?.message, 'must begin with https:// unless your Airdate administrator allows it');
  });

  it('names the fields as the screens do', () => {
    const errors = [{ pointer: '/scheduled_at', message: 'must be at least 5 minutes from now' }];
    const shown = forPeople(problem('validation_failed', 'scheduled_at must be …', errors));
    assert.equal(shown.detail, 'The time must be at least 5 minutes from now.');
    const of = forPeople(problem('validation_failed', 'x', [{ pointer: '/x_y', message: 'is odd' }]));
    assert.equal(of.detail, PROBLEM_TEXTS.validation_failed);
  });
});

/** Of the sources below this folder, without tests. */
function sourcesIn(folder: string): { path: string; text: string }[] {
  const names = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
    .map((name) => ({ path: name, text: readFileSync(new URL(`${folder}${name}`, root), 'utf8') }));
}

/** Without the names of what is filled in. */
const withoutNames = (text: string): string => text.replaceAll(/\$\{[^}]*\}/g, '1');

describe('texts of the API that are shown as they are', () => {
  const server = sourcesIn('server/src/');

  it('speak to people wherever the server writes them', () => {
    const technical = server.flatMap(({ path, text }) =>
      [...text.matchAll(/new AppError\(\s*'(\w+)',\s*(['`"])(.*?)\2,?\s*[,)]/gs)]
        .filter(([, code]) => PROBLEM_TEXTS[code as Code] === null)
        .filter(([, , , detail = '']) => !isForPeople(withoutNames(detail)))
        .map(([, code, , detail]) => `${path}: ${code}: ${detail}`),
    );
    assert.deepEqual(technical, []);
  });

  it('speak to people in what readiness and preflight find', () => {
    const found = server.flatMap(({ path, text }) =>
      [
        ...text.matchAll(
          /finding\(\s*(?:'(?:error|warning)',\s*)?'(?!error'|warning')(\w+)',\s*(['`"])(.*?)\2/gs,
        ),
      ].map(([, code = '', , detail = '']) => ({ path, code, shown: findingText(code, detail) })),
    );
    assert.ok(found.length > 8, 'the findings are written in another way now');
    assert.deepEqual(
      found.filter(({ shown }) => !isForPeople(withoutNames(shown))),
      [],
    );
  });

  it('come in through the files that replace them, and no other', () => {
    const ways = sourcesIn('web/src/').filter(({ text }) =>
      /\bfetch\(|XMLHttpRequest\(|extends Client\b|new Client\(/.test(text),
    );
    assert.deepEqual(ways.map(({ path }) => path).sort(), [
      'api/client.ts',
      'api/outage.ts',
      'uploads/send.ts',
    ]);
  });
});
