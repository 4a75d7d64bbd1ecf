// Ranks tools for a query with BM25 over their names, descriptions and parameter names.
import type { DeferredTool } from '../contract/tool-context.js';
import { withoutMcpPrefix } from '../platform/text/mcp-names.js';

const NAME_WEIGHT = 4; // a word in a name says more than one in a description
const SATURATION = 1.2; // BM25's k1: how quickly repeated words stop counting
const LENGTH_SHARE = 0.75; // BM25's b: how much a long description counts against a tool
const PART_OF_WORD = 0.4; // relative to a whole word

/** Ranks tools. Caches what it has read of each, so that the next search is quick. */
export class ToolRanking {
  readonly #read = new Map<string, ReadTool>();

  search(query: string, tools: readonly DeferredTool[]): DeferredTool[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const required = words.filter((word) => word.length > 1 && word.startsWith('+')).map((word) => word.slice(1));
    const candidates = tools.filter(({ name }) => required.every((word) => name.toLowerCase().includes(word)));
    const wanted = [...new Set(wordsOf(query))].filter((word) => !emptyWords.has(word));
    const read = candidates.map((tool) => this.#readTool(tool));
    const averageLength = read.reduce((sum, { length }) => sum + length, 0) / Math.max(1, read.length);
    const scores = read.map(() => 0);
    for (const word of wanted) {
      const counts = read.map((tool) => countOf(word, tool));
      const weight = rarity(counts);
      counts.forEach((count, index) => {
        scores[index] = (scores[index] ?? 0) + weight * saturated(count, read[index], averageLength);
      });
    }
    const plainQuery = words.join('_').replaceAll('+', '');
    return candidates
      .map((tool, index) => {
        const name = tool.name.toLowerCase();
        const isNamed = name === plainQuery || name.endsWith(`__${plainQuery}`);
        return { tool, score: isNamed ? Number.MAX_VALUE : (scores[index] ?? 0) };
      })
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
      .map(({ tool }) => tool);
  }

  #readTool(tool: DeferredTool): ReadTool {
    const known = this.#read.get(tool.name);
    if (known?.description === tool.description) return known;
    const name = spelled(withoutMcpPrefix(tool.name));
    const rest = `${tool.description.toLowerCase()} ${spelled(tool.parameters.join(' '))}`;
    const read = { description: tool.description, name, rest, length: NAME_WEIGHT * name.length + rest.length };
    this.#read.set(tool.name, read);
    return read;
  }
}

/** Kept as text: searching for a query's few words is cheaper than tokenising all of it. */
interface ReadTool {
  description: string;
  name: string;
  rest: string;
  length: number;
}

function rarity(counts: readonly number[]): number {
  const holding = counts.filter((count) => count > 0).length;
  return Math.log(1 + (counts.length - holding + 0.5) / (holding + 0.5));
}

function saturated(count: number, tool: ReadTool | undefined, averageLength: number): number {
  if (count === 0 || !tool) return 0;
  const lengthFactor = 1 - LENGTH_SHARE + (LENGTH_SHARE * tool.length) / Math.max(1, averageLength);
  return (count * (SATURATION + 1)) / (count + SATURATION * lengthFactor);
}

/** Also counts longer words that start with it: "repo" is in "repository". */
function countOf(word: string, { name, rest }: ReadTool): number {
  const inName = occurrences(word, name);
  const inRest = occurrences(word, rest);
  const whole = NAME_WEIGHT * inName.whole + inRest.whole;
  if (whole > 0 || word.length < 3) return whole;
  return PART_OF_WORD * (NAME_WEIGHT * inName.begun + inRest.begun);
}

/** How often a text has the word or its plural, and how often a longer word that starts with it. */
function occurrences(word: string, text: string): { whole: number; begun: number } {
  let whole = 0;
  let begun = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (isWordAt(text, at - 1)) continue;
    const end = at + word.length;
    if (!isWordAt(text, end) || (text[end] === 's' && !isWordAt(text, end + 1))) whole += 1;
    else begun += 1;
  }
  return { whole, begun };
}

/** Everything beyond ASCII counts as a letter: fast, and accurate enough. */
function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code >= 128;
}

/** Words that say nothing about what a tool does. */
const emptyWords = new Set(
  'a an and are as at be by can for from how i in is it me my of on or that the this to with'.split(' '),
);

/** The words of a query, in the same form as in a text, without plurals. */
function wordsOf(text: string): string[] {
  const words = spelled(text).split(/[^a-z0-9\u0080-\uffff]+/);
  return words.filter((word) => word !== '').map(singular);
}

/** Splits a name in any spelling (`listOpenIssues`, `list_open_issues`) into words. */
const spelled = (text: string): string => text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();

const singular = (word: string): string =>
  word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
