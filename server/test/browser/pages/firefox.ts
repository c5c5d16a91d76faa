// The system's own Firefox, driven over WebDriver BiDi by playwright-core (docs/internals/tests.md).
import { type Browser, type BrowserContext, firefox } from 'playwright-core';

interface BidiSession {
  send(method: string, params: unknown): Promise<unknown>;
}

/** Playwright's own side of a browser, which runs in this process. */
interface WithImplementation {
  _connection: { toImpl(browser: Browser): { _browserSession: BidiSession } };
}

export async function launchFirefox(executablePath: string): Promise<Browser> {
  const browser = await firefox.launch({
    // The channel chooses the protocol; without it, Playwright would expect its own build of Firefox.
    channel: 'moz-firefox',
    executablePath,
    // Light, and without motion: what a page of Chromium is told for each tab, a whole Firefox is told once.
    firefoxUserPrefs: { 'ui.prefersReducedMotion': 1, 'ui.systemUsesDarkTheme': 0 },
  });
  withoutMediaFeatures(browser);
  return browser;
}

/** Playwright sets the colour scheme of each new tab by a command that Firefox does not know yet, and then gives up. */
function withoutMediaFeatures(browser: Browser): void {
  const { _browserSession: session } = (browser as unknown as WithImplementation)._connection.toImpl(browser);
  const send = session.send.bind(session);
  session.send = async (method, params) =>
    method === 'emulation.setMediaFeaturesOverride' ? {} : await send(method, params);
}

/**
 * Playwright types by setting a field's value in the page, where React takes that for its own doing and ignores it. The
 * browser's own command has the events of a person's typing.
 */
export const typeAsPeopleDo = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(() => {
    Object.defineProperty(window, '__pw_bidiInsertText', {
      get: () => (text: string) => void document.execCommand('insertText', false, text),
      // Playwright's own.
      set: () => {},
    });
  });
