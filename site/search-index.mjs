import MiniSearch from 'minisearch';
import { fields, processTerm } from './search-terms.mjs';

/** Pages for people who change Helve, or who look something up, come after those that explain. */
const weights = [
  [/^docs\/decisions/, 0.12],
  [/^CHANGELOG/, 0.2],
  [/^(?:ARCHITECTURE|CONTRIBUTING)/, 0.4],
  [/^docs\/api\.md/, 0.25],
  [/^(?:README|docs\/(?:performance|harness|glossary))\.md/, 0.5],
  [/^docs\/README/, 0.1],
];
/** What the list of results shows below a title. */
const START_CHARS = 160;

/** One document for each section of each page. */
export function searchIndex(found, contents) {
  const questions = new Map();
  for (const { entries } of contents) {
    for (const { source, question } of entries) questions.set(source, `${questions.get(source) ?? ''} ${question}`);
  }
  const index = new MiniSearch({ ...fields, processTerm });
  const pages = found.filter(({ page }) => page.kind === 'markdown' && !page.address.startsWith('files/'));
  for (const { page, title, sections } of pages) {
    const weight = weights.find(([pattern]) => pattern.test(page.source))?.[1] ?? 1;
    for (const [number, section] of sections.entries()) {
      index.add({
        id: `${page.address}#${section.id}`,
        url: number === 0 ? page.address : `${page.address}#${section.id}`,
        title,
        heading: number === 0 ? '' : section.heading,
        question: number === 0 ? (questions.get(page.source) ?? '') : '',
        text: section.text,
        start: section.text.replace(/\s+/g, ' ').trim().slice(0, START_CHARS),
        weight,
      });
    }
  }
  return index.toJSON();
}
