// A real browser before the running service. Whatever a page complains about, and every request that leaves the machine,
// is kept, and fails the test that caused it.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

export interface View {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  timezoneId?: string;
}

export interface Tab {
  page: Page;
  context: BrowserContext;
  /** Fails if the page has complained, or asked another host for anything. */
  close(): Promise<void>;
}

/** The same browser for all tests of a file; each tab is a person of its own, with its own cookies. */
export function useBrowser(): { open(origin: string, view?: View): Promise<Tab> } {
  let browser: Browser;
  before(async () => {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM_PATH as string,
      // As root, in a container, there is no other way.
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
  });
  after(() => browser?.close());
  return { open: (origin, view) => openTab(browser, origin, view) };
}

/** Loading a screen on a busy machine takes its time; what never comes fails all the same. */
const PATIENCE_MS = 60_000;

async function openTab(browser: Browser, origin: string, view: View = {}): Promise<Tab> {
  const { width = 1280, height = 800, colorScheme = 'light', timezoneId = 'Europe/Berlin' } = view;
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width, height },
    colorScheme,
    timezoneId,
    locale: 'en-GB',
    reducedMotion: 'reduce',
    hasTouch: width < 768,
    // As on a phone: what is wider than the screen makes the page wider, instead of being cut off.
    isMobile: width < 768,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRefusal(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== origin) complaints.push(`asked ${url.origin}`);
  });
  return {
    page,
    context,
    async close() {
      await context.close();
      assert.deepEqual(complaints, [], 'the page complained');
    },
  };
}

/** The browser writes a line for each answer of 400 and more; what becomes of those is what the tests look at. */
const isRefusal = (text: string) => text.startsWith('Failed to load resource');
