// The search of the documentation, in the browser. The index is fetched when the field is first used.
import type MiniSearch from 'minisearch';
import { type Entry, find, OPTIONS } from './query.js';

const MAX_RESULTS = 8;
const form = document.querySelector('form[role=search]') as HTMLFormElement;
const field = form.querySelector('input') as HTMLInputElement;
const status = form.querySelector('[role=status]') as HTMLElement;
const list = form.querySelector('ol') as HTMLOListElement;

let loading: Promise<MiniSearch<Entry>> | undefined;

async function load(): Promise<MiniSearch<Entry>> {
  const library = new URL('./minisearch.js', import.meta.url).href;
  const [{ default: Search }, answer] = await Promise.all([
    import(library) as Promise<typeof import('minisearch')>,
    fetch(new URL('./search-index.json', import.meta.url)),
  ]);
  return Search.loadJS(await answer.json(), OPTIONS);
}

async function show(): Promise<void> {
  const question = field.value.trim();
  if (question === '') return hide();
  loading ??= load();
  const index = await loading;
  // A slower answer to an earlier question must not replace a later one.
  if (question !== field.value.trim()) return;
  const found = find(index, question);
  list.replaceChildren(...found.slice(0, MAX_RESULTS).map(itemOf));
  list.hidden = false;
  status.textContent =
    found.length === 0 ? 'Nothing found' : `${Math.min(found.length, MAX_RESULTS)} results, best first`;
  if (found.length === 0) list.append(plainItem('Nothing found. Try other words.'));
}

function itemOf({ id, page, heading, start }: Entry): HTMLLIElement {
  const link = document.createElement('a');
  link.href = id;
  const title = document.createElement('strong');
  title.textContent = heading === '' ? page : `${page}: ${heading}`;
  const text = document.createElement('span');
  text.textContent = start;
  link.append(title, text);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

function plainItem(text: string): HTMLLIElement {
  const item = document.createElement('li');
  item.textContent = text;
  return item;
}

function hide(): void {
  list.hidden = true;
  status.textContent = '';
}

/** The arrow keys move between the field and the results. */
function move(event: KeyboardEvent): void {
  if (event.key === 'Escape') {
    hide();
    return field.focus();
  }
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const stops: HTMLElement[] = [field, ...list.querySelectorAll('a')];
  const here = stops.indexOf(document.activeElement as HTMLElement);
  stops[here + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
  event.preventDefault();
}

form.hidden = false;
field.addEventListener('input', () => void show());
field.addEventListener('focus', () => {
  loading ??= load();
});
form.addEventListener('keydown', move);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  list.querySelector('a')?.click();
});
document.addEventListener('keydown', (event) => {
  const isTyping = (event.target as Element).closest('input, textarea, select');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
});
document.addEventListener('click', (event) => {
  if (!form.contains(event.target as Node)) hide();
});
