// Which tools fit some words, the best first: BM25 over their names, their descriptions and the names of their parameters.
import type { DeferredTool } from '../contract/tool-context.js';

const NAME_WEIGHT = 4; // a word in a name says more than one in a description
const SATURATION = 1.2; // how soon a word that comes again says nothing new
const LENGTH_SHARE = 0.75; // how much a long description counts against a tool
const PART_OF_WORD = 0.4; // of what a whole word would count

/** Finds tools. What it has read of one it remembers, so that the next search is quick. */
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
    const counts = new Map<string, number>();
    const add = (words: readonly string[], weight: number): void => {
      for (const word of words) if (word !== '') counts.set(word, (counts.get(word) ?? 0) + weight);
    };
    add(wordsOf(tool.name.replace(/^mcp__/, '')), NAME_WEIGHT);
    add(tool.description.toLowerCase().split(NOT_A_WORD).map(singular), 1);
    add(wordsOf(tool.parameters.join(' ')), 1);
    const length = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const read = { description: tool.description, counts, length };
    this.#read.set(tool.name, read);
    return read;
  }
}

interface ReadTool {
  description: string;
  counts: ReadonlyMap<string, number>;
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

/** Also where a longer word begins with it: "repo" is in "repository". */
function countOf(word: string, { counts }: ReadTool): number {
  const whole = counts.get(word);
  if (whole !== undefined || word.length < 3) return whole ?? 0;
  let parts = 0;
  for (const [other, count] of counts) if (other.startsWith(word)) parts += count;
  return parts * PART_OF_WORD;
}

/** Say nothing about what a tool does. */
const emptyWords = new Set(
  'a an and are as at be by can for from how i in is it me my of on or that the this to with'.split(' '),
);

/** The words of a text or a name in any spelling (`listOpenIssues`, `list_open_issues`), without plurals. */
function wordsOf(text: string): string[] {
  const words = text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(NOT_A_WORD);
  return words.filter((word) => word !== '').map(singular);
}

const NOT_A_WORD = /[^a-z0-9\u0080-\uffff]+/; // all beyond ASCII counts as letters: it is quick, and near enough

const singular = (word: string): string =>
  word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
