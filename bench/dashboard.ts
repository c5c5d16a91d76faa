// The screens of the dashboard in a real browser: how much of the first load is needed, how far the content moves while it
// loads, and how long the page does not respond. The CPU is slowed down to a quarter, and every request takes 40 ms longer,
// because over a fast local connection no loading state would ever be painted. The length of a task is its CPU time: what
// else runs on the machine does not count.

import { gzipSync } from 'node:zlib';
import { type DemoContent, fillWithContent } from '@airdate/server/test/support/browser/demo-content.js';
import { ensureBrowser } from '@airdate/server/test/support/browser/installed-browsers.js';
import { startTestService, type TestService } from '@airdate/server/test/support/service/harness.js';
import { newPerson, type TestPerson } from '@airdate/server/test/support/service/people.js';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { median } from './measure.js';
import { addBelow, atMost, note } from './report.js';

const SLOWER = 4;
const LATENCY_MS = 40;
const POSTS = 50;
/** History of so many days makes at least that many posts. */
const DAYS = 33;
/** After a screen is complete: time for tasks and shifts that come late. */
const SETTLE_MS = 1_500;

const MAX_SCRIPT_KB = 200;
const MAX_STYLES_KB = 20;
const MAX_SHIFT = 0.05;
const MAX_TASK_MS = 200;

const WIDTHS = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
type Width = keyof typeof WIDTHS;

interface Screen {
  name: string;
  path: string;
  /** Visible when the screen shows its content. */
  ready: string;
  /** Where people arrive. Other screens usually find most of the files in the cache, so their size has no goal. */
  isFirst?: true;
}

const screensOf = ({ drafts, failed }: DemoContent): Screen[] => [
  { name: 'library', path: '/library', ready: 'main [data-post]', isFirst: true },
  { name: 'calendar, month', path: '/calendar', ready: 'main a[href^="/posts/0"]' },
  { name: 'calendar, week', path: '/calendar?view=week', ready: 'main a[href^="/posts/0"]' },
  { name: 'composer', path: `/posts/${drafts[0]}/edit`, ready: 'main textarea' },
  { name: 'post', path: `/posts/${failed[0]}`, ready: 'main section[aria-label=Status] button' },
  { name: 'analytics', path: '/analytics', ready: 'main [data-chart]' },
  { name: 'accounts', path: '/accounts', ready: 'main article' },
  { name: 'settings', path: '/settings/organization', ready: 'main h2' },
];

export async function dashboard({ rounds }: { rounds: number }): Promise<void> {
  const executablePath = ensureBrowser('chromium');
  if (executablePath === null) throw new Error('There is no Chromium, and none could be installed.');
  const env = { SANDBOX_CONTROL: 'on', SANDBOX_PROCESSING_MS: '0' };
  const service = await startTestService('sqlite', { env });
  // Required as root in a container.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const org = await service.newOrganization({ name: 'Field Notes', plan: 'growth' });
    const content = await fillWithContent(service, org, DAYS);
    const made = Object.values(content).flat().length - 1;
    if (made < POSTS) throw new Error(`there are only ${made} posts`);
    const person = await newPerson(service, org.id, 'owner');
    for (const screen of screensOf(content)) await measure({ browser, service, person }, screen, rounds);
  } finally {
    await browser.close();
    await service.stop();
  }
}

interface Place {
  browser: Browser;
  service: TestService;
  person: TestPerson;
}

async function measure(place: Place, screen: Screen, rounds: number): Promise<void> {
  const visits: Record<Width, Visit[]> = { wide: [], phone: [] };
  for (let i = 0; i < rounds; i++)
    for (const width of ['wide', 'phone'] as const)
      visits[width].push(await inFreshTab(place, width, (page) => watch(page, screen)));
  const of = (width: Width, figure: (visit: Visit) => number) => median(visits[width].map(figure));
  for (const width of ['wide', 'phone'] as const) {
    const shift = of(width, (visit) => sum(visit.shifts.map(({ value }) => value)));
    atMost(`${screen.name}: layout shift, ${width}`, shift, MAX_SHIFT, '', 3);
    const worst = visits[width].flatMap(({ shifts }) => shifts).sort((a, b) => b.value - a.value)[0];
    if (worst && shift > MAX_SHIFT) addBelow(`${screen.name}, ${width}, moved most: ${worst.what}`, '');
  }
  const task = Math.max(...(['wide', 'phone'] as const).map((width) => of(width, longest)));
  atMost(`${screen.name}: longest task`, task, MAX_TASK_MS, 'ms', 0);
  const { script, styles } = await inFreshTab(place, 'wide', (page) => weigh(page, screen));
  for (const [what, { gzip }, most] of [
    ['script', script, MAX_SCRIPT_KB],
    ['styles', styles, MAX_STYLES_KB],
  ] as const) {
    const kilobytes = gzip / 1024;
    if (screen.isFirst) atMost(`${screen.name}: ${what} of the first load`, kilobytes, most, 'KB', 1);
    else note(`${screen.name}: ${what} without a cache`, `${kilobytes.toFixed(1)} KB`);
  }
  note(`${screen.name}: unused script, unused styles`, `${percent(script)}, ${percent(styles)}`);
}

const longest = ({ tasks }: Visit) => Math.max(0, ...tasks);
const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
const percent = ({ unused, bytes }: Weight) => `${Math.round((unused / bytes) * 100)} %`;

/** A tab of the person with nothing in its cache. */
async function inFreshTab<T>(
  { browser, service, person }: Place,
  width: Width,
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const isPhone = width === 'phone';
  const context = await browser.newContext({
    baseURL: service.url,
    viewport: WIDTHS[width],
    isMobile: isPhone,
    hasTouch: isPhone,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  try {
    await signIn(context, service, person);
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

const signIn = (context: BrowserContext, service: TestService, person: TestPerson): Promise<void> =>
  context.addCookies([{ name: 'airdate', value: person.browser.token, url: service.url }]);

async function open(page: Page, { path, ready }: Screen): Promise<void> {
  await page.goto(path);
  await page.locator(ready).first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
  await page.waitForTimeout(SETTLE_MS);
}

interface Visit {
  shifts: { value: number; what: string }[];
  /** Their CPU times in milliseconds. */
  tasks: number[];
}

/** The part of a layout shift that is read here. */
interface Shift extends PerformanceEntry {
  value: number;
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
}

/** The parts of a trace event that are read here: names of threads, and tasks with their CPU time in microseconds. */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  tdur?: number;
  args: { name?: string };
}

async function watch(page: Page, screen: Screen): Promise<Visit> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await cdp.send('Network.enable');
  const unlimited = { downloadThroughput: -1, uploadThroughput: -1, offline: false };
  await cdp.send('Network.emulateNetworkConditions', { ...unlimited, latency: LATENCY_MS });
  await page.addInitScript(() => {
    const shifts: Visit['shifts'] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as Shift[]) {
        const described = sources.map(({ node, previousRect: from, currentRect: to }) => {
          const element = node instanceof Element ? node : node?.parentElement;
          return `${element?.outerHTML.slice(0, 80)} from ${from.y}+${from.height} to ${to.y}+${to.height}`;
        });
        shifts.push({ value, what: described.join(' · ') });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const tasks = await trace(page.context().browser() as Browser, () => open(page, screen));
  const shifts = await page.evaluate(() => (window as unknown as Pick<Visit, 'shifts'>).shifts);
  return { shifts, tasks };
}

/** The tasks of all pages meanwhile, in milliseconds of CPU time. */
async function trace(browser: Browser, work: () => Promise<void>): Promise<number[]> {
  const cdp = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const traceConfig = { includedCategories: ['toplevel'] };
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  await work();
  const isComplete = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve));
  await cdp.send('Tracing.end');
  await isComplete;
  await cdp.detach();
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const pages = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
  );
  return events
    .filter((event) => event.name.endsWith('RunTask') && pages.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1000);
}

interface Weight {
  bytes: number;
  gzip: number;
  unused: number;
}

/** In a visit of its own: counting what is used slows the page down. */
async function weigh(page: Page, screen: Screen): Promise<{ script: Weight; styles: Weight }> {
  await Promise.all([page.coverage.startJSCoverage(), page.coverage.startCSSCoverage()]);
  await open(page, screen);
  const [scripts, sheets] = await Promise.all([
    page.coverage.stopJSCoverage(),
    page.coverage.stopCSSCoverage(),
  ]);
  const isOurs = ({ url }: { url: string }) => /\.(js|css)$/.test(new URL(url).pathname);
  return {
    script: weightOf(
      scripts.filter(isOurs).map(({ source = '', functions }) => ({
        text: source,
        // An inner range says more exactly than the outer one before it whether its code has run.
        ranges: functions.flatMap((one) =>
          one.ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count > 0] as const),
        ),
      })),
    ),
    styles: weightOf(
      sheets.filter(isOurs).map(({ text = '', ranges }) => ({
        text,
        ranges: [[0, text.length, false], ...ranges.map(({ start, end }) => [start, end, true] as const)],
      })),
    ),
  };
}

type Range = readonly [start: number, end: number, isUsed: boolean];

function weightOf(files: { text: string; ranges: Range[] }[]): Weight {
  const weight: Weight = { bytes: 0, gzip: 0, unused: 0 };
  for (const { text, ranges } of files) {
    const used = new Uint8Array(text.length).fill(1);
    for (const [start, end, isUsed] of ranges) used.fill(isUsed ? 1 : 0, start, end);
    weight.bytes += text.length;
    weight.gzip += gzipSync(text).length;
    weight.unused += used.filter((byte) => byte === 0).length;
  }
  return weight;
}
