// Shared by the tests of the calendar: its days, its posts, and the steps of a user there.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

/** A day of the month, or all hours of a day of the week. */
export const cellOf = (page: Page, day: string): Locator => page.locator(`[role$=cell][data-date="${day}"]`);

export const chipIn = (page: Page, day: string, name: RegExp): Locator =>
  cellOf(page, day).getByRole('link', { name });

/** The drafts beside the grid. */
export const rail = (page: Page): Locator => page.getByRole('main').getByRole('region', { name: 'Drafts' });

export const draftIn = (page: Page, title: string): Locator =>
  rail(page).getByRole('listitem').filter({ hasText: title });

/** The middle of a day; in the week, so many hours after midnight. */
export async function pointIn(cell: Locator, hour?: number): Promise<{ x: number; y: number }> {
  const box = await cell.boundingBox();
  assert.ok(box, 'the day is not shown');
  return {
    x: box.x + box.width / 2,
    y: box.y + (hour === undefined ? box.height / 2 : (box.height * hour) / 24),
  };
}

/** With the mouse. `atEnd` runs before the button is released. */
export async function dragTo(
  what: Locator,
  { x, y }: { x: number; y: number },
  atEnd?: () => Promise<void>,
): Promise<void> {
  const { mouse } = what.page();
  // Waits until nothing moves any more by itself.
  await what.hover();
  await mouse.down();
  // In steps: a jump is no drag.
  await mouse.move(x, y, { steps: 12 });
  await atEnd?.();
  await mouse.up();
}

/** What follows the pointer during a drag. */
export const dragHint = (page: Page): Locator => page.locator('[data-refused]:not([hidden])');

/** Completes the open sheet, for everyone and for the time that it suggests. */
export async function scheduleAsSuggested(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Posting as').waitFor();
  await dialog.getByRole('combobox', { name: 'Who can see it' }).selectOption('Everyone');
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}
