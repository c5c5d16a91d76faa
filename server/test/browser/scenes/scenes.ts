// Every screen, each with the steps that lead there; the dialogs are in dialog-scenes.ts.
import type { Page } from 'playwright-core';
import { answerWith, caption, heading, link, press, text } from '../steps/scene-steps.js';
import { choose, mediaPanel, type NamedFile, UPLOADS } from '../steps/steps.js';
import { CLASH } from './clash-scene.js';
import { COMPOSER_PARTS } from './composer-scenes.js';
import { DIALOGS } from './dialog-scenes.js';
import { LIBRARY } from './library-scenes.js';
import type { Scene, Stage } from './stage.js';
import { WEBHOOKS } from './webhook-scenes.js';

const postPage = (state: keyof Stage['posts'], badge: string, more: Partial<Scene> = {}): Scene => ({
  ...more,
  name: `the page of a ${state} post`,
  path: ({ posts }) => `/posts/${posts[state]}`,
  async ready(page) {
    await page.getByRole('region', { name: 'Status' }).getByText(badge, { exact: true }).waitFor();
    await page.getByRole('heading', { name: /^Attempts/ }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).waitFor();
  },
});

const settings = (section: string, title: string, more: Partial<Scene> = {}): Scene => ({
  ...more,
  name: `settings: ${section}`,
  path: () => `/settings/${section}`,
  async ready(page) {
    await page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor();
    await page.locator('table[aria-busy=true]').waitFor({ state: 'detached' });
  },
});

/** As if `GET /me` said this. */
const changeMe = (page: Page, change: object): Promise<unknown> =>
  page.route('**/api/v1/me', (route) => answerWith<object>(route, (me) => ({ ...me, ...change })));

const QUOTAS = {
  bytes: { used: 17_240_000_000, limit: 20_000_000_000 },
  posts_per_day: { used: 12, limit: 50 },
  keys: { used: 5, limit: 5 },
  members: { used: 3, limit: null },
  accounts: { used: 1, limit: null },
  invitations: { used: 0, limit: null },
};

const SCREENS: Scene[] = [
  {
    name: 'the library in safe mode',
    isVariant: true,
    prepare: (page) =>
      changeMe(page, { safe_mode: true, safe_mode_reason: 'It was restored from a backup.' }),
    path: () => '/library',
    async ready(page) {
      await page.getByRole('status', { name: 'Safe mode' }).waitFor();
      await link('A failed post')(page);
    },
  },
  { name: 'the library', path: () => '/library', ready: link('A failed post') },
  {
    name: 'the library as a table',
    isVariant: true,
    prepare: (page) =>
      page.addInitScript(() => localStorage.setItem('airdate-library-view', JSON.stringify('table'))),
    path: () => '/library',
    async ready(page) {
      await page.getByRole('table', { name: 'Posts' }).getByRole('link', { name: 'A failed post' }).waitFor();
    },
  },
  {
    name: 'an empty library',
    isVariant: true,
    viewer: 'beginner',
    path: () => '/library',
    ready: text('No posts yet'),
  },
  {
    name: 'a new post, with why it cannot be published yet',
    isVariant: true,
    path: () => '/posts/new',
    async ready(page) {
      await caption(page);
      await page.getByRole('button', { name: 'Publish…', exact: true }).hover();
      await page.getByRole('tooltip').waitFor();
    },
  },
  { name: 'the editor', path: ({ posts }) => `/posts/${posts.draft}/edit`, ready: caption },
  CLASH,
  ...COMPOSER_PARTS,
  {
    name: 'the editor with uploads',
    isVariant: true,
    path: ({ posts }) => `/posts/${posts.uploads}/edit`,
    async ready(page) {
      // One upload never ends, one is cut off, and one is not an image.
      await page.route(UPLOADS, (route) =>
        route.request().postDataBuffer()?.includes('cut off') ? route.abort() : undefined,
      );
      await choose(page, mediaPanel(page, 'Slides').getByRole('button', { name: /^Add slides/ }), [
        picture('under-way.png', 'under way'),
        picture('cut-off.png', 'cut off'),
        { ...picture('notes.txt', 'no picture'), mimeType: 'text/plain' },
      ]);
      // As long as it is at 0 % it has no width.
      await page.getByRole('progressbar', { name: 'Upload of under-way.png' }).waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Retry cut-off.png' }).waitFor();
      await page.getByRole('button', { name: 'Dismiss notes.txt' }).waitFor();
    },
  },
  postPage('draft', 'Draft', { isVariant: true }),
  postPage('scheduled', 'Scheduled', { isVariant: true }),
  postPage('posted', 'Posted', { isVariant: true }),
  postPage('failed', 'Failed'),
  postPage('unknown', 'Outcome unknown', { isVariant: true }),
  { name: 'the calendar', path: () => '/calendar', ready: link(/A posted post/) },
  {
    name: 'the calendar of a week',
    isVariant: true,
    path: () => '/calendar?view=week',
    ready: link(/A posted post/),
  },
  { name: 'analytics', path: () => '/analytics', ready: text('Punctuality of scheduled posts') },
  { name: 'accounts', path: () => '/accounts', ready: (page) => page.getByRole('article').waitFor() },
  settings('profile', 'Profile', { isVariant: true }),
  settings('keys', 'API keys', { isVariant: true }),
  settings('members', 'Members', { isVariant: true }),
  {
    ...settings('audit', 'Audit log', { isVariant: true }),
    ready: (page) => page.locator('ul[aria-busy=false] > li').first().waitFor(),
  },
  settings('organization', 'Organization', { isVariant: true }),
  ...WEBHOOKS,
  {
    name: 'settings: quotas that are nearly and quite used up',
    isVariant: true,
    prepare: (page) => changeMe(page, { quotas: QUOTAS }),
    path: () => '/settings/organization',
    async ready(page) {
      await page.getByText('Almost used up.').waitFor();
      await page.getByText(/^Used up\./).waitFor();
    },
  },
  {
    name: 'the editor with little storage left',
    isVariant: true,
    prepare: (page) => changeMe(page, { quotas: QUOTAS }),
    path: ({ posts }) => `/posts/${posts.draft}/edit`,
    ready: (page) => page.getByRole('progressbar', { name: 'Storage' }).waitFor(),
  },
  settings('security', 'Sessions', { isVariant: true }),
  settings('appearance', 'Theme', { isVariant: true }),
  {
    name: 'an outage',
    path: () => '/library',
    async ready(page) {
      await link('A failed post')(page);
      // The other pages of this person stay connected.
      await page.route('**/api/**', (route) => route.abort());
      await page.evaluate(() => window.dispatchEvent(new Event('offline')));
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'no such address',
    isVariant: true,
    // Loaded directly it is a 404, which the browser logs as an error; the page is the same.
    path: () => '/sign-in?next=/nowhere',
    ready: heading('Page not found'),
  },
  {
    name: 'no such post',
    isVariant: true,
    path: () => '/posts/nowhere',
    ready: text('Post not found'),
  },
];

const ENTRANCES: Scene[] = [
  {
    name: 'sign-in',
    isVariant: true,
    viewer: 'visitor',
    path: () => '/sign-in',
    ready: (page) => page.getByLabel('Email').waitFor(),
  },
  {
    name: 'sign-in with a wrong password',
    viewer: 'visitor',
    path: () => '/sign-in',
    async ready(page) {
      await page.getByLabel('Email').fill('nobody@example.com');
      await page.getByLabel('Password', { exact: true }).fill('not the password');
      await press(page, 'Sign in');
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'sign-up on a new installation',
    isVariant: true,
    viewer: 'first visitor',
    path: () => '/sign-up',
    ready: (page) => page.getByLabel('Organization name').waitFor(),
  },
  {
    name: 'sign-in on a new installation',
    isVariant: true,
    viewer: 'first visitor',
    path: () => '/sign-in',
    ready: heading('Create your organization'),
  },
  {
    name: 'sign-up where it is closed',
    isVariant: true,
    viewer: 'visitor',
    path: () => '/sign-up',
    ready: heading('Sign-up is closed'),
  },
  {
    name: 'coming in by a link',
    isVariant: true,
    viewer: 'visitor',
    // The link works once, and this scene does not use it.
    prepare: (page) => page.route('**/auth/enter', () => undefined),
    path: ({ entryLink }) => entryLink,
    ready: heading('Signing you in…'),
  },
  {
    name: 'a link that does not work',
    isVariant: true,
    viewer: 'visitor',
    path: () => '/enter#spent',
    ready: heading('This link doesn’t work'),
  },
  {
    name: 'an invitation',
    isVariant: true,
    viewer: 'visitor',
    path: ({ invitation }) => invitation,
    ready: heading('Join Field Notes'),
  },
  {
    name: 'an invitation that does not work',
    isVariant: true,
    viewer: 'visitor',
    path: () => '/invitation#spent',
    ready: heading('This invitation doesn’t work'),
  },
];

export const SCENES: Scene[] = [...SCREENS, ...ENTRANCES, ...DIALOGS, ...LIBRARY];

function picture(name: string, content: string): NamedFile {
  return { name, mimeType: 'image/png', buffer: Buffer.from(content) };
}
