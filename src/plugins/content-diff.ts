// What has changed between two contents of a plugin, for a person who decides about it: first what can run or start
// something, then texts for the model, then the rest. What is not shown is counted and named.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unifiedPatch } from '../platform/text/diff.js';
import { shownLine } from '../platform/text/shown-line.js';
import type { ContentEntry } from './plugin-content.js';

const MAX_NAMED = 100; // of files that run nothing; beyond that, they are counted by folder
const MAX_LINES = 400; // of the diffs of files that run nothing
const MAX_PROGRAM_LINES = 2_000; // of one file that can run
const MAX_LINE_CHARS = 1_000;
const MAX_TEXT_BYTES = 256 * 1024;
const MAX_ODD = 0.1; // of the characters of a text may be control characters

interface Side {
  folder: string;
  entries: readonly ContentEntry[];
}

export interface DescribedChange {
  lines: readonly string[];
  /** Every changed file is named, and every changed text is shown whole. */
  isWhole: boolean;
}

/** `isFull`: without limits on numbers of files and lines. */
export function describeChange(before: Side, after: Side, { isFull = false } = {}): DescribedChange {
  const old = new Map(before.entries.map((entry) => [entry.path, entry]));
  const fresh = new Set(after.entries.map(({ path }) => path));
  const touched = after.entries.filter(({ path, kind, content }) => {
    const was = old.get(path);
    return kind !== 'folder' && (was?.kind !== kind || was.content !== content);
  });
  const changes = [
    ...before.entries
      .filter(({ path, kind }) => kind !== 'folder' && !fresh.has(path))
      .map((entry) => ({ entry, word: 'removed', rank: rankOf(before, entry) })),
    ...touched.map((entry) => ({ entry, word: wordFor(old.get(entry.path), entry), rank: rankOf(after, entry) })),
  ].toSorted((one, other) => one.rank - other.rank);
  const isNamed = ({ rank }: { rank: number }, index: number): boolean => isFull || rank === RUNS || index < MAX_NAMED;
  const named = changes.filter(isNamed);
  const unnamed = changes.filter((change, index) => !isNamed(change, index));
  const lines = [
    ...named.map(({ entry, word }) => `${word.padEnd(8)} ${shownLine(entry.path)}`),
    ...byFolder(unnamed.map(({ entry }) => entry.path)),
  ];
  let isWhole = unnamed.length === 0;
  let room = isFull ? Number.POSITIVE_INFINITY : MAX_LINES;
  for (const { entry, word, rank } of changes) {
    if (word === 'removed') continue;
    const patch = patchOf(before, after, old.get(entry.path), entry);
    if ('reason' in patch) {
      isWhole = false;
      if (rank === RUNS || isFull || room > 0) lines.push(`(no diff of ${shownLine(entry.path)}: ${patch.reason})`);
      continue;
    }
    const most = isFull ? Number.POSITIVE_INFINITY : rank === RUNS ? MAX_PROGRAM_LINES : room;
    const part = patch.lines.slice(0, most);
    if (rank !== RUNS) room -= part.length;
    lines.push(...part);
    const missing = patch.lines.length - part.length;
    if (missing > 0) lines.push(`(${missing} more lines of the diff of ${shownLine(entry.path)} are not shown)`);
    isWhole &&= missing === 0 && !patch.isCut;
  }
  return { lines, isWhole };
}

const RUNS = 0;

/** Files that run, start or configure something come first, and are never left out. */
function rankOf({ folder }: Side, { path, kind }: ContentEntry): number {
  if (kind === 'program' || kind === 'link') return RUNS;
  if (/(?:^|\/)(?:\.[\w-]+-plugin|hooks|bin|scripts?)\//.test(path) || /\.(?:json|toml|ya?ml)$/i.test(path))
    return RUNS;
  if (/(?:^|\/)(?:Makefile|Dockerfile|\.env[^/]*|\.npmrc)$/.test(path)) return RUNS;
  // A text may run commands by "!`…`" or grant rules, and an unknown ending may be anything.
  if (/\.(?:md|txt|rst)$/i.test(path))
    return /^(?:commands|skills|agents|output-styles)\/|(?:^|\/)SKILL\.md$|^GEMINI\.md$/i.test(path) ? 1 : 2;
  if (/\.(?:png|jpe?g|gif|svg|webp|ico|pdf|woff2?|ttf|css|html|csv)$/i.test(path)) return 2;
  return beginsAsData(join(folder, path)) ? 2 : RUNS;
}

/** LICENSE, CHANGELOG and the like: a text without an interpreter's line. */
function beginsAsData(file: string): boolean {
  if (
    !/(?:^|\/)(?:LICEN[CS]E|COPYING|NOTICE|CHANGELOG|AUTHORS|README|\.git(?:ignore|attributes)|\.editorconfig)$/i.test(
      file,
    )
  )
    return false;
  try {
    return !readFileSync(file, { encoding: 'latin1' }).startsWith('#!');
  } catch {
    return false;
  }
}

function byFolder(paths: readonly string[]): string[] {
  const folders = Map.groupBy(paths, (path) => dirname(path));
  return [...folders].map(
    ([folder, files]) => `(${files.length} more in ${folder === '.' ? 'the plugin' : shownLine(folder)})`,
  );
}

function wordFor(was: ContentEntry | undefined, now: ContentEntry): string {
  if (!was) return now.kind === 'link' ? 'link' : 'added';
  if (was.content === now.content) return now.kind === 'program' ? 'runs now' : 'mode';
  return 'changed';
}

function patchOf(
  before: Side,
  after: Side,
  was: ContentEntry | undefined,
  now: ContentEntry,
): { lines: string[]; isCut: boolean } | { reason: string } {
  if (was?.kind !== 'link' && now.kind !== 'link' && was?.content === now.content) return { lines: [], isCut: false };
  const [old, fresh] = [textOf(before, was), textOf(after, now)];
  if ('reason' in fresh) return fresh;
  if ('reason' in old) return { reason: `of its former content, ${old.reason}` };
  const lines = unifiedPatch(now.path, old.text, fresh.text).split('\n');
  return {
    lines: lines.map((line) => shownLine(line, MAX_LINE_CHARS)),
    isCut: lines.some((line) => line.length > MAX_LINE_CHARS),
  };
}

/** An added file is compared with an empty one. */
function textOf({ folder }: Side, entry: ContentEntry | undefined): { text: string } | { reason: string } {
  if (!entry) return { text: '' };
  if (entry.kind === 'link') return { text: `link to ${entry.content}\n` };
  try {
    const bytes = readFileSync(join(folder, entry.path));
    if (bytes.length > MAX_TEXT_BYTES)
      return { reason: `it has ${bytes.length} bytes, and at most ${MAX_TEXT_BYTES} are compared` };
    const text = bytes.toString('utf8');
    const odd = text.match(/(?![\t\n\r])[\p{Cc}\ufffd]/gu)?.length ?? 0;
    return odd > text.length * MAX_ODD ? { reason: `it is not a text, and has ${bytes.length} bytes` } : { text };
  } catch {
    return { reason: 'it is no longer there' }; // a copy that was tampered with may lack it
  }
}
