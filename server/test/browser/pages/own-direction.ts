// Text that people write has a direction of its own: Arabic and Hebrew are read from the right, whatever stands around them.
import type { Page } from 'playwright-core';

/**
 * Each of these texts that stands on the page without a direction of its own (`dir="auto"`, or `<bdi>` in a sentence), and each
 * field that people write in without one.
 */
export const withoutDirection = (page: Page, written: readonly string[]): Promise<string[]> =>
  page.evaluate((texts) => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement as HTMLElement;
      if (texts.includes((node.nodeValue ?? '').trim()) && !parent.closest('bdi, [dir=auto]'))
        found.push(`text: ${parent.outerHTML.slice(0, 200)}`);
    }
    const fields = 'textarea, input:is(:not([type]), [type=text], [type=search])';
    for (const field of document.querySelectorAll<HTMLElement>(fields))
      if (field.dir !== 'auto' && !field.hidden && field.ariaHidden !== 'true')
        found.push(`field: ${field.outerHTML.slice(0, 200)}`);
    return found;
  }, written);
