import type { Post } from '@airdate/sdk/core';
import type { When } from './form.js';

/** The title of the sheet: what its button will do. */
export function headingOf(when: When, status: Post['status'] | undefined): string {
  if (when === 'now') return 'Publish now';
  return status === 'scheduled' ? 'Reschedule' : 'Schedule';
}
