// Takes the screenshots of the README from the running product: node server/dist/test/support/browser/screenshots.js
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { startTestService, type TestService } from '../service/harness.js';
import { newPerson, type TestPerson } from '../service/people.js';
import { type DemoContent, fillWithContent } from './demo-content.js';
import { ensureBrowser } from './installed-browsers.js';

const FOLDER = fileURLToPath(new URL('../../../../../docs/pictures/', import.meta.url));

interface Picture {
  name: string;
  path: string;
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  /** Runs before the screenshot. */
  prepare?(page: Page): Promise<void>;
}

const picturesOf = (content: DemoContent): Picture[] => [
  { name: 'library', path: '/library' },
  { name: 'library-dark', path: '/library', colorScheme: 'dark' },
  { name: 'composer', path: `/posts/${content.drafts[0]}/edit` },
  { name: 'publish', path: `/posts/${content.drafts[0]}?publish=true` },
  { name: 'post', path: `/posts/${content.failed[0]}` },
  { name: 'calendar', path: '/calendar' },
  { name: 'analytics', path: '/analytics?days=30' },
  { name: 'accounts', path: '/accounts' },
  { name: 'phone', path: '/library', width: 390, height: 844 },
];

async function main(): Promise<void> {
  const executablePath = ensureBrowser('chromium');
  if (executablePath === null) throw new Error('There is no Chromium, and none could be installed.');
  mkdirSync(FOLDER, { recursive: true });
  const env = { SANDBOX_CONTROL: 'on', SANDBOX_PROCESSING_MS: '0' };
  const service = await startTestService('sqlite', { env });
  const browser = await chromium.launch({
    executablePath,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const org = await service.newOrganization({ name: 'Field Notes', plan: 'growth' });
    const content = await fillWithContent(service, org);
    const person = await newPerson(service, org.id, 'owner');
    await person.browser.call('PATCH', '/api/v1/auth/profile', { name: 'Mira Holm' });
    for (const picture of picturesOf(content)) await take(browser, service, person, picture);
  } finally {
    await browser.close();
    await service.stop();
  }
}

async function take(
  browser: Browser,
  service: TestService,
  person: TestPerson,
  { name, path, width = 1280, height = 832, colorScheme = 'light', prepare }: Picture,
): Promise<void> {
  const context = await browser.newContext({
    baseURL: service.url,
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  const [cookie, value] = (person.browser.cookie as string).split('=') as [string, string];
  await context.addCookies([{ name: cookie, value, url: service.url }]);
  const page = await context.newPage();
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
  // Parts of the screen that load later bring images of their own.
  await page.waitForTimeout(2_000);
  // Waits only for visible images: the others are not fetched before the user scrolls there.
  await page.waitForFunction(() =>
    [...document.images].every((image) => {
      const { top, width } = image.getBoundingClientRect();
      return image.complete || width === 0 || top > window.innerHeight;
    }),
  );
  // An image is painted only when it has been decoded.
  await page.evaluate(async () => {
    for (const image of document.images) if (image.complete) await image.decode().catch(() => {});
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
  });
  await prepare?.(page);
  const shot = await page.screenshot();
  // A palette is enough for a screen, and a fifth of the bytes.
  writeFileSync(`${FOLDER}${name}.png`, await sharp(shot).png({ palette: true, quality: 90 }).toBuffer());
  process.stdout.write(`docs/pictures/${name}.png\n`);
  await context.close();
}

await main();
