// The search of the site. The index is loaded when the field gets the focus first.
import MiniSearch from 'minisearch';
import { expandQuery, fields, processTerm } from '../search-terms.mjs';

const MAX_RESULTS = 8;
const top = document.currentScript.dataset.top;
const field = document.getElementById('search');
const results = document.getElementById('found');
let index;

function load() {
  index ??= new Promise((done, fail) => {
    const script = document.createElement('script');
    script.src = `${top}search-index.js`;
    script.onload = () => done(MiniSearch.loadJS(globalThis.helveSearchIndex, { ...fields, processTerm }));
    script.onerror = () => {
      index = undefined;
      fail(new Error('The index of the search could not be loaded.'));
    };
    document.head.append(script);
  });
  return index;
}

/** The best section of each page, the best page first. */
async function search(query) {
  const { words, more } = expandQuery(query);
  const ready = await load();
  const boost = { question: 5, title: 6, heading: 3 };
  const options = { boost, prefix: (term) => term.length > 2, fuzzy: (term) => (term.length > 4 ? 0.2 : false) };
  const combined = {
    combineWith: 'OR',
    queries: [
      { ...options, queries: [words] },
      { ...options, combineWith: 'AND', queries: [words] }, // once more for sections with all words
      { ...options, prefix: false, fuzzy: false, queries: [more] },
    ],
  };
  const found = ready.search(combined, { boostDocument: (_id, _term, stored) => stored.weight });
  const pages = new Map();
  for (const section of found) {
    const page = section.url.split('#')[0];
    if (!pages.has(page)) pages.set(page, section);
  }
  return [...pages.values()].slice(0, MAX_RESULTS);
}

async function show() {
  const query = field.value.trim();
  if (query === '') return hide();
  const found = await search(query);
  if (field.value.trim() !== query) return; // typed on in the meantime
  results.replaceChildren(...found.map(entryOf));
  if (found.length === 0) results.append(element('li', 'Nothing was found. Try other words.', 'none'));
  results.hidden = false;
}

function entryOf({ url, title, heading, start }) {
  const link = element('a', '');
  link.href = `${top}${url}`;
  link.append(element('strong', heading ? `${title} › ${heading}` : title), element('span', start));
  const entry = element('li', '');
  entry.append(link);
  return entry;
}

function element(tag, text, className = '') {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function hide() {
  results.hidden = true;
}

/** Up and down go from the field through the results, and back. */
function move(step) {
  const stops = [field, ...results.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement);
  stops.at((at + step) % stops.length)?.focus();
}

field.addEventListener('focus', () => void load());
field.addEventListener('input', () => void show());
document.querySelector('.search').addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') move(1);
  else if (event.key === 'ArrowUp') move(-1);
  else if (event.key === 'Enter' && event.target === field) results.querySelector('a')?.click();
  else if (event.key === 'Escape') hide();
  else return;
  event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  field.focus();
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search')) hide();
});
for (const block of document.querySelectorAll('.code')) addCopyButton(block);

function addCopyButton(block) {
  if (navigator.clipboard === undefined) return;
  const button = element('button', 'Copy', 'copy');
  button.type = 'button';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
    button.textContent = 'Copied';
  });
  block.append(button);
}
