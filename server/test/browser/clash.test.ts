// Two members write the same post: neither overwrites what the other has saved without having seen it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { addPostIn, readPost } from '../support/service/posts.js';
import { type Tab, useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { saved } from './steps/steps.js';

const PHONE = { width: 390, height: 844 };

describe('a post that two members write', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  /** A post, open in the composers of two members. */
  async function twoWriters(work: (ada: Page, ben: Page, post: Written) => Promise<void>, view = {}) {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'Maps', caption: 'A caption.' });
    const tabs = [await openAs(browser, service, org, 'editor', view), await openAs(browser, service, org)];
    const [ada, ben] = tabs as [Tab, Tab];
    await inTab(ada, (first) =>
      inTab(ben, async (second) => {
        for (const page of [first, second]) {
          await visit(page, `/posts/${id}/edit`, 'Edit post');
          await field(page, 'Title').waitFor();
        }
        await work(first, second, { org, id });
      }),
    );
  }

  it('shows a clash as a choice, with both texts, and saves over the newest version only when told to', async () => {
    await twoWriters(async (ada, ben, post) => {
      await clash(ada, ben, post, { mine: 'Maps by Ada', theirs: 'Maps by Ben' });
      const note = noteIn(ada);
      await note.getByRole('region', { name: 'Title: saved version' }).getByText('Maps by Ben').waitFor();
      await note.getByRole('region', { name: 'Title: your version' }).getByText('Maps by Ada').waitFor();
      assert.equal(await field(ada, 'Title').inputValue(), 'Maps by Ada');
      assert.equal(await field(ada, 'Title').getAttribute('aria-invalid'), 'true');
      assert.equal((await readPost(post.org, post.id)).title, 'Maps by Ben', 'nothing is overwritten');

      await ada.getByRole('button', { name: 'Choose', exact: true }).click();
      assert.equal(await note.evaluate((element) => element === document.activeElement), true);
      await note.getByRole('button', { name: 'Keep mine' }).click();
      await saved(ada);
      await note.waitFor({ state: 'detached' });
      assert.equal((await readPost(post.org, post.id)).title, 'Maps by Ada');
      // Nothing replaces the text in the field that the cursor is in.
      assert.equal(await field(ben, 'Title').inputValue(), 'Maps by Ben');
      await field(ben, 'Title').blur();
      await shows(ben, 'Title', 'Maps by Ada');
    });
  });

  itInProofs(
    'shows a change from elsewhere at once where nothing is typed, says so, and puts the old text back on demand',
    async () => {
      await twoWriters(async (ada, ben, post) => {
        const note = ada.getByRole('region', { name: 'Changed elsewhere' });
        await field(ben, 'Title').fill('Maps by Ben');
        await saved(ben);
        await note.getByText('Title was just changed elsewhere. You see the new version.').waitFor();
        assert.equal(await field(ada, 'Title').inputValue(), 'Maps by Ben');
        await note.getByRole('button', { name: 'See what it was' }).click();
        await note.getByText('Maps', { exact: true }).waitFor();
        await note.getByRole('button', { name: 'Put it back' }).click();
        await saved(ada);
        await note.waitFor({ state: 'hidden' });
        assert.equal((await readPost(post.org, post.id)).title, 'Maps');

        // Ben is still in the field: he is told, and nothing moves under his cursor.
        const told = ben.getByRole('region', { name: 'Changed elsewhere' });
        await told.getByText('Leave the field to see the new version.').waitFor();
        assert.equal(await field(ben, 'Title').inputValue(), 'Maps by Ben');
        await field(ben, 'Title').blur();
        await shows(ben, 'Title', 'Maps');
        await told.getByRole('button', { name: 'OK' }).click();
        await told.waitFor({ state: 'hidden' });
      });
    },
  );

  itInProofs('takes theirs, on a phone too, and gives the own text back on demand', async () => {
    await twoWriters(async (ada, ben, post) => {
      await clash(ada, ben, post, { mine: 'Maps by Ada', theirs: 'Maps by Ben' });
      await noteIn(ada).getByRole('button', { name: 'Use theirs' }).click();
      await shows(ada, 'Title', 'Maps by Ben');
      await saved(ada);
      assert.equal((await readPost(post.org, post.id)).title, 'Maps by Ben');
      await ada.getByRole('button', { name: 'Undo', exact: true }).click();
      await shows(ada, 'Title', 'Maps by Ada');
      await saved(ada);
      assert.equal((await readPost(post.org, post.id)).title, 'Maps by Ada');
    }, PHONE);
  });

  itInProofs('keeps a clash when the tab is reloaded before the choice', async () => {
    await twoWriters(async (ada, ben, post) => {
      await clash(ada, ben, post, { mine: 'Maps by Ada', theirs: 'Maps by Ben' });
      ada.on('dialog', (dialog) => void dialog.accept());
      await ada.reload();
      await noteIn(ada)
        .getByRole('region', { name: 'Title: your version' })
        .getByText('Maps by Ada')
        .waitFor();
      assert.equal((await readPost(post.org, post.id)).title, 'Maps by Ben');
    });
  });

  itInProofs('brings together changes of different fields without asking', async () => {
    await twoWriters(async (ada, ben, post) => {
      const held = await holdSaves(ada, post.id);
      await field(ada, 'Title').fill('Maps by Ada');
      await held.began;
      await field(ben, 'Caption').fill('A caption by Ben.');
      await saved(ben);
      held.release();
      await saved(ada);
      await shows(ada, 'Caption', 'A caption by Ben.');
      assert.equal(await noteIn(ada).count(), 0);
      const { title, caption } = await readPost(post.org, post.id);
      assert.deepEqual([title, caption], ['Maps by Ada', 'A caption by Ben.']);
    });
  });

  itInProofs('is deleted only by a member who has seen what it is now', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'Maps' });
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, `/posts/${id}`, 'Maps');
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: /^Delete/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete this post?' });
      await changeBefore('DELETE', page, { org, id }, { title: 'Maps, finished' });
      await dialog.getByRole('button', { name: 'Delete post' }).click();
      await dialog.getByRole('alert').getByText('just changed elsewhere').waitFor();
      await dialog.getByText('“Maps, finished”').waitFor();
      await dialog.getByRole('button', { name: 'Delete post' }).click();
      await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
      assert.equal((await org.call('GET', `/api/v1/posts/${id}`)).status, 404);
    });
  });

  itInProofs('is scheduled and unscheduled only by a member who has seen what it is now', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled', { title: 'Maps' });
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, `/posts/${id}`, 'Maps');
      await changeBefore('PATCH', page, { org, id }, { title: 'Maps, finished' });
      const unschedule = page.getByRole('button', { name: 'Unschedule' });
      await unschedule.click();
      await page.getByRole('alert').getByText('just changed elsewhere, so it wasn’t unscheduled').waitFor();
      await page.getByRole('heading', { level: 1, name: 'Maps, finished' }).waitFor();
      assert.equal((await readPost(org, id)).status, 'scheduled');
      await unschedule.click();
      // What cannot be seen needs no second look.
      await changeBefore('PATCH', page, { org, id }, { title: 'Maps, finished' });
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await until('it is scheduled again', async () => (await readPost(org, id)).status === 'scheduled');
    });
  });

  itInProofs('is not saved into the session of another person who has signed in in another tab', async () => {
    const org = await service.newOrganization();
    const other = await service.newOrganization();
    const person = await newPerson(service, other.id, 'owner');
    const tab = await openAs(browser, service, org, 'editor');
    await inTab(tab, async (page) => {
      await visit(page, '/posts/new', 'New post');
      const { token } = person.browser;
      await tab.context.addCookies([{ name: 'airdate', value: token, url: service.url }]);
      await field(page, 'Title').fill('For my own organization');
      await page.getByText('Someone else has signed in on this browser').first().waitFor();
      await field(page, 'Title').fill('For my own organization only');
      await page.getByRole('status').filter({ hasText: 'Not saved' }).waitFor();
    });
    for (const { call } of [org, other])
      assert.equal((await call('GET', '/api/v1/posts')).json.pagination.total, 0);
  });

  itInProofs('is not shown in the session of another person: the sign-in page asks who goes on', async () => {
    const org = await service.newOrganization();
    const other = await service.newOrganization();
    const person = await newPerson(service, other.id, 'owner');
    await other.addPost({ title: 'Of the other organization' });
    const tab = await openAs(browser, service, org, 'editor');
    await inTab(tab, async (page) => {
      await visit(page, '/posts/new', 'New post');
      const { token } = person.browser;
      await tab.context.addCookies([{ name: 'airdate', value: token, url: service.url }]);
      await field(page, 'Title').fill('For my own organization');
      await page.getByRole('link', { name: 'Sign in', exact: true }).click();
      await page.getByText('Someone else has signed in on this browser').waitFor();
      await page.getByRole('link', { name: 'continue as them' }).click();
      await page.getByText('Of the other organization').first().waitFor();
    });
  });

  itInProofs('is fetched again only if it has changed', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'Maps' });
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, `/posts/${id}`, 'Maps');
      const unchanged = page.waitForResponse((response) => response.status() === 304);
      await org.call('PATCH', `/api/v1/posts/${id}`, { caption: 'Changed' });
      await page.getByText('Changed').first().waitFor();
      assert.match((await unchanged).url(), /\/api\/v1\//);
    });
  });
});

interface Written {
  org: Organization;
  id: string;
}

/** Ben saves a title while Ada's is on its way. Ends when Ada is asked to choose. */
async function clash(ada: Page, ben: Page, { id }: Written, titles: { mine: string; theirs: string }) {
  const held = await holdSaves(ada, id);
  await field(ada, 'Title').fill(titles.mine);
  await held.began;
  await field(ben, 'Title').fill(titles.theirs);
  await saved(ben);
  held.release();
  await noteIn(ada).waitFor();
}

/** Another member's change arrives just before the page's first request of this kind. */
async function changeBefore(
  method: string,
  page: Page,
  { org, id }: Written,
  change: Record<string, unknown>,
): Promise<void> {
  let isFirst = true;
  await page.route(`**/api/v1/posts/${id}`, async (route) => {
    if (route.request().method() === method && isFirst) {
      isFirst = false;
      await org.call('PATCH', `/api/v1/posts/${id}`, change);
    }
    await route.fallback();
  });
}

/** Delays the saves of this page until the test releases them. */
async function holdSaves(page: Page, id: string): Promise<{ began: Promise<void>; release(): void }> {
  let release = () => {};
  let begin = () => {};
  const isOpen = new Promise<void>((resolve) => {
    release = resolve;
  });
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  await page.route(`**/api/v1/posts/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') {
      begin();
      await isOpen;
    }
    await route.continue();
  });
  return { began, release: () => release() };
}

const field = (page: Page, name: string): Locator => page.getByLabel(name, { exact: true });

const noteIn = (page: Page): Locator =>
  page.getByRole('region', { name: 'This post was changed elsewhere while you were writing' });

const shows = (page: Page, name: string, text: string): Promise<void> =>
  until(`${name} is “${text}”`, async () => (await field(page, name).inputValue()) === text);
