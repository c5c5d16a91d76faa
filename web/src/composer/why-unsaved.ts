import type { Saving } from './draft-state.js';

/** What to do before a text that could not be saved can be published. */
export function whyUnsaved(saving: Saving): string {
  switch (saving) {
    case 'unreachable':
      return 'Airdate can’t be reached. Your text is kept here: publish when it is saved.';
    case 'unanswered':
      return 'Choose between the saved version and your restored text, then publish.';
    case 'conflict':
      return 'It was changed elsewhere too. Choose which version to keep, then publish.';
    case 'ended':
      return 'Sign in again, then publish.';
    case 'held':
    case 'refused':
      return 'Fix the marked field, then publish.';
    default:
      return 'Wait a moment, then publish.';
  }
}
