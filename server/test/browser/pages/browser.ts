// A real browser in front of the running service. Every error of a page, and every request to another host, is recorded
// and fails the test that caused it.
import assert from 'node:assert/strict';
import { after, describe } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type BrowserName, pathOfBrowser } from '../../support/browser/installed-browsers.js';
import { launchFirefox, typeAsPeopleDo } from './firefox.js';
import { ZONE } from './zoned-times.js';

export interface View {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  timezoneId?: string;
}

export interface Tab {
  page: Page;
  context: BrowserContext;
  origin: string;
  /** Fails if the page has logged an error, or sent a request to another host. */
  close(): Promise<void>;
}

const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: pathOfBrowser('chromium') as string,
    // Required as root in a container.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });

const launched = new Map<BrowserName, Promise<Browser>>();

// When all tests of this process have ended.
after(async () => {
  for (const browser of launched.values()) await (await browser).close();
});

function launch(name: BrowserName): Promise<Browser> {
  const browser =
    launched.get(name) ??
    (name === 'chromium' ? launchChromium() : launchFirefox(pathOfBrowser('firefox') as string));
  launched.set(name, browser);
  return browser;
}

export interface Opening {
  open(origin: string, view?: View): Promise<Tab>;
}

/** The same browser for all tests of a process; each tab is a separate person with its own cookies. */
export function useBrowser(name: BrowserName = 'chromium'): Opening {
  const browser = launch(name);
  return { open: async (origin, view) => openTab(await browser, origin, view) };
}

/** The same stories in each of these browsers. The runner says so where Firefox is missing. */
export function inBrowsers(
  names: readonly BrowserName[],
  title: string,
  define: (browser: Opening, name: BrowserName) => void,
): void {
  for (const name of names)
    describe(`${title} (${name})`, { skip: pathOfBrowser(name) === undefined }, () =>
      define(useBrowser(name), name),
    );
}

/** Another page of the same person, who has the scripts in the cache. Closing it leaves the person signed in. */
export async function openBeside({ context, origin }: Tab): Promise<Tab> {
  const page = await context.newPage();
  const complaints = listenForComplaints(page, origin);
  return { page, context, origin, close: () => closeQuietly(page, complaints) };
}

/** Loading a screen on a busy machine takes time; a screen that never comes still fails. */
const TIMEOUT_MS = 60_000;

async function openTab(browser: Browser, origin: string, view: View = {}): Promise<Tab> {
  const { width = 1280, height = 800, colorScheme = 'light', timezoneId = ZONE } = view;
  const isPhone = width < 768;
  const isFirefox = browser.browserType().name() === 'firefox';
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width, height },
    timezoneId,
    locale: 'en-GB',
    ...(!isFirefox && {
      colorScheme,
      reducedMotion: 'reduce',
      hasTouch: isPhone,
      // As on a phone: content wider than the screen makes the page wider, instead of being cut off.
      isMobile: isPhone,
    }),
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  if (isFirefox) await typeAsPeopleDo(context);
  const page = await context.newPage();
  const complaints = listenForComplaints(page, origin);
  return { page, context, origin, close: () => closeQuietly(context, complaints) };
}

async function closeQuietly(opened: BrowserContext | Page, complaints: string[]): Promise<void> {
  // An answer that a test was still changing goes to a page that is no longer there.
  await opened.unrouteAll({ behavior: 'ignoreErrors' });
  if ('pages' in opened)
    for (const page of opened.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
  await opened.close();
  assert.deepEqual(complaints, [], 'the page complained');
}

function listenForComplaints(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRefusal(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== origin) complaints.push(`asked ${url.origin}`);
  });
  return complaints;
}

/**
 * The browser logs a line for each response of 400 and more, and the router one for a script that it could not fetch ahead of a
 * click. The tests check what the page makes of both.
 */
const isRefusal = (text: string) =>
  text.startsWith('Failed to load resource') || text.includes('Failed to fetch dynamically imported module');
