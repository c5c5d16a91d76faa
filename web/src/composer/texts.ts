// Typed text beside saved text. Changes from elsewhere never replace what the writer is typing.
import type { ApiError } from '../api/client.js';
import { FIELDS, type Field, type Fields, mistakeIn, NO_FIELDS } from './fields.js';

export class Texts {
  now: Fields;
  /** As the API has them. */
  #saved: Fields;
  /** The API's errors about a text, until it is changed. */
  #refusals: Partial<Record<Field, string>> = {};
  focused: Field | undefined;

  constructor(saved: Fields = NO_FIELDS) {
    this.now = this.#saved = saved;
  }

  type(field: Field, text: string): void {
    this.now = { ...this.now, [field]: text };
    delete this.#refusals[field];
  }

  isUnsaved = (field: Field): boolean => this.now[field] !== this.#saved[field];

  unsaved(): Partial<Fields> {
    return Object.fromEntries(FIELDS.filter(this.isUnsaved).map((field) => [field, this.now[field]]));
  }

  /** Unsaved, and without errors. */
  saveable = (): Field[] => FIELDS.filter((field) => this.isUnsaved(field) && !this.#mistakeIn(field));

  mistakes(): Partial<Record<Field, string>> {
    const wrong = FIELDS.filter((field) => this.isUnsaved(field) && this.#mistakeIn(field));
    return Object.fromEntries(wrong.map((field) => [field, this.#mistakeIn(field)]));
  }

  /** The API has stored `sent`, and now has `theirs`. True if a field shows something else. */
  accept(theirs: Fields, sent: Partial<Fields>): boolean {
    const untouched = FIELDS.filter((field) => !this.isUnsaved(field) && field !== this.focused);
    this.#saved = { ...this.#saved, ...sent };
    const news = untouched.filter((field) => sent[field] === undefined && this.now[field] !== theirs[field]);
    const filled = Object.fromEntries(news.map((field) => [field, theirs[field]]));
    this.now = { ...this.now, ...filled };
    this.#saved = { ...this.#saved, ...filled };
    return news.length > 0;
  }

  /** True if the API refused some of these fields by name: the others can still be saved. */
  refuse(error: ApiError, names: readonly Field[]): boolean {
    const named = names.filter((field) => error.of(field) !== undefined);
    for (const field of named) this.#refusals[field] = error.of(field) ?? '';
    return named.length > 0;
  }

  forgetRefusals(): void {
    this.#refusals = {};
  }

  /** Replaces the texts; returns the previous ones. */
  swap(texts: Partial<Fields>): Fields {
    const before = this.now;
    this.now = { ...before, ...texts };
    return before;
  }

  #mistakeIn(field: Field): string | undefined {
    return this.#refusals[field] ?? mistakeIn(field, this.now[field]);
  }
}
