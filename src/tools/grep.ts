import { join, relative } from 'node:path';
import * as z from 'zod';
import { DEFAULT_MAX_RESULT_CHARS, defineTool } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { elidedPath, realName, resolveIn, shortPath } from '../platform/files/paths.js';
import type { FileMatches, SearchOutcome, TextMode } from '../platform/search/query.js';
import { CUT_MARK, SEPARATOR } from '../platform/search/query.js';
import { counted } from '../platform/text/counted.js';
import { noteShown } from './editing/note-shown.js';
import { readEffects } from './file-effect.js';
import { pathText, systemText, withAliases } from './input.js';
import { refusePseudoFiles } from './pseudo-files.js';
import {
  DatedFiles,
  leftOutOf,
  nameOnOneLine,
  partialNotices,
  type SearchRoot,
  searchRoot,
  searchText,
} from './search-root.js';

const DEFAULT_ENTRIES = 250;
const MAX_COUNTED_FILES = 50; // with more files, the ledger does not record the lines shown of the rest
const MAX_COUNTED_CHARS = DEFAULT_MAX_RESULT_CHARS - 2_000; // a longer result is not shown whole
const MAX_COLUMNS = 500; // minified code: the match matters, not the whole line

const description = `Search inside files by regular expression (ripgrep's; look-around and back-references too; escape literal braces).
Shows the files that match, newest first; by output_mode "content" the lines, cut at ${MAX_COLUMNS} columns; by "count" how many. Searches hidden files; those that .gitignore names only with include_ignored, binary ones only by path. type and the flags are rg's; -n is on.`;

const lineCount = z.int().min(0).optional();

const input = withAliases(
  {
    include: 'glob',
    after_context: '-A',
    before_context: '-B',
    context: '-C',
    line_numbers: '-n',
    ignore_case: '-i',
    only_matching: '-o',
  },
  z.strictObject({
    pattern: systemText.refine((text) => text !== '', 'must not be empty'),
    path: pathText.optional().describe('File or directory'),
    glob: systemText.optional().describe('As "*.ts,!*.test.ts"'),
    type: systemText.optional(),
    output_mode: z.enum(['content', 'files_with_matches', 'count']).optional(),
    '-A': lineCount,
    '-B': lineCount,
    '-C': lineCount,
    '-n': z.boolean().optional(),
    '-i': z.boolean().optional(),
    '-o': z.boolean().optional(),
    multiline: z.boolean().optional(),
    include_ignored: z.boolean().optional(),
    head_limit: z.int().min(0).optional().describe(`Default ${DEFAULT_ENTRIES}; 0: all`),
    offset: z.int().min(0).optional(),
  }),
);

type GrepInput = z.output<typeof input>;

interface GrepData {
  mode: TextMode;
  /** The output: lines, files, or files with counts. */
  entries: string[];
  offset: number;
  totalEntries: number;
  /** Totals, regardless of the page shown. */
  files: number;
  lines?: number;
  occurrences?: number;
  /** Matching binary files. */
  binary: string[];
  stopped: SearchOutcome['stopped'];
  unreadable: number;
  /** Folders that were skipped. */
  leftOut: string[];
}

export const grepTool = defineTool<GrepInput, GrepData>({
  name: 'Grep',
  about: 'Searches the contents of files by regular expression.',
  traits: {
    family: 'read',
    subject: ['path'],
    fields: ['path', 'pattern', 'glob', 'type', 'output_mode', 'multiline', 'head_limit'],
    olderNames: ['GrepTool'],
  },
  description,
  input,
  effects: ({ path = '.' }, context) => readEffects(path, context, { tree: true }),

  async validate({ path = '.' }, context) {
    const { folder, file } = await searchRoot(path, context);
    refusePseudoFiles(file === undefined ? folder : join(folder, file), elidedPath(path));
    return undefined;
  },

  async execute(wanted, context) {
    const { path = '.', output_mode: mode = 'files_with_matches', head_limit = DEFAULT_ENTRIES, offset = 0 } = wanted;
    const root = await searchRoot(path, context);
    const around = wanted['-C'] ?? 0;
    const inFolder = root.folder.endsWith('/') ? root.folder : `${root.folder}/`;
    const mayRead = (file: string): boolean => context.mayRead(`${inFolder}${file}`);
    const dated = new DatedFiles(root.folder);
    const leftOut = leftOutOf(root);
    const found = await searchText(
      {
        ...root,
        globs: [...splitGlobs(wanted.glob ?? '').flatMap((glob) => fromFolder(glob, root, context)), ...leftOut.globs],
        type: wanted.type,
        includeIgnored: wanted.include_ignored ?? false,
        pattern: wanted.pattern,
        mode,
        ignoreCase: wanted['-i'] ?? false,
        multiline: wanted.multiline ?? false,
        onlyMatching: wanted['-o'] ?? false,
        before: wanted['-B'] ?? around,
        after: wanted['-A'] ?? around,
        maxColumns: MAX_COLUMNS,
      },
      context,
      // Starts looking up modification times while the search runs.
      (file) => {
        if (mayRead(file)) dated.add(file);
      },
    );
    const withEntries: string[] = [];
    const binary: string[] = [];
    let [files, matches, lines] = [0, 0, 0];
    for (const [file, one] of found.files) {
      if (!mayRead(file)) continue;
      files += 1;
      matches += one.matches;
      lines += one.lines.length;
      if (one.isBinary) binary.push(file);
      if (mode !== 'content' || one.lines.length > 0) withEntries.push(file);
    }
    const separators = mode === 'content' && hasContext(wanted) ? Math.max(withEntries.length - 1, 0) : 0;
    const end = head_limit === 0 ? Number.POSITIVE_INFINITY : offset + head_limit;
    const order =
      mode === 'files_with_matches'
        ? root.file === undefined
          ? dated.newestFirst()
          : withEntries
        : firstByName(withEntries, end);
    const searched = resolveIn(context.cwd, path);
    const name = (file: string): string =>
      nameOnOneLine(shortPath(context.cwd, root.file === undefined ? join(searched, file) : searched));
    const shown = new Map<string, string[]>();
    const entries = page(order, found.files, name, { mode, wanted, offset, end, shown });
    if (entries.reduce((sum, entry) => sum + entry.length + 1, 0) <= MAX_COUNTED_CHARS) {
      for (const [file, lines] of [...shown].slice(0, MAX_COUNTED_FILES)) {
        await noteShown(realName(join(root.folder, file)), lines.join('\n'), context);
      }
    }
    return {
      mode,
      entries,
      offset,
      totalEntries: mode === 'content' ? lines + separators : files,
      files,
      ...(mode === 'content' && !wanted['-o'] && { lines: matches }),
      ...((mode === 'count' || (mode === 'content' && wanted['-o'])) && { occurrences: matches }),
      binary: binary.sort().map(name),
      stopped: found.stopped,
      unreadable: found.unreadable.filter(mayRead).length,
      leftOut: leftOut.names,
    };
  },

  toModel(data, wanted) {
    const { mode, entries, offset, totalEntries, files, binary, stopped } = data;
    const notices = [
      ...binary
        .filter(() => mode === 'content')
        .map((file) => `${file} is a binary file: it matches, but its lines are not shown.`),
      ...partialNotices(data),
    ].map((notice) => `(${notice})`);
    if (files === 0) {
      const nothing = stopped ? 'Nothing was found before the search ended.' : noMatch(wanted);
      return [nothing, ...notices].join('\n');
    }
    const unit = mode === 'content' ? 'line' : 'file';
    if (entries.length === 0 && totalEntries > 0) {
      const there = `There ${totalEntries === 1 ? 'is' : 'are'} ${counted(totalEntries, unit)}`;
      return [`${there}, so there is nothing at offset ${offset}.`, ...notices].join('\n');
    }
    const cut = mode === 'content' ? entries.filter((entry) => entry.endsWith(CUT_MARK)).length : 0;
    if (cut > 0) {
      const short = wanted['-o'] ? '' : ' A match may lie behind the cut; -o shows the matches alone.';
      notices.unshift(`(${counted(cut, 'line')} cut at ${MAX_COLUMNS} columns.${short})`);
    }
    const next = offset + entries.length;
    if (entries.length < totalEntries) {
      const more = next < totalEntries ? ` To continue, use offset ${next}.` : '';
      notices.unshift(`(Showing ${unit}s ${offset + 1}–${next} of ${totalEntries}.${more})`);
    }
    const total = `Found ${totals(data)}`;
    if (mode === 'files_with_matches') return [total, ...entries, ...notices].join('\n');
    return [...entries, mode === 'count' ? `${total}.` : `(${total}.)`, ...notices].join('\n');
  },

  displayCall: (asked) => ({ title: subject(asked), looks: 'search' }),
  displayResult: (data, asked) => ({
    title: subject(asked),
    facts: [data.files === 0 ? 'no match' : totals(data)],
    looks: 'search',
    body:
      data.mode === 'content' ? { type: 'text', text: data.entries.join('\n') } : { type: 'list', items: data.entries },
  }),
});

const subject = ({ pattern = '', path }: Partial<GrepInput>): string => (path ? `${pattern} in ${path}` : pattern);

function totals({ files, lines, occurrences }: GrepData): string {
  const inFiles = counted(files, 'file');
  if (lines !== undefined) return `${counted(lines, 'matching line')} in ${inFiles}`;
  if (occurrences !== undefined) return `${counted(occurrences, 'match', 'matches')} in ${inFiles}`;
  return inFiles;
}

function noMatch({ pattern, path, glob, type, include_ignored, multiline }: GrepInput): string {
  const only = [glob && `that match ${glob}`, type && `of type ${type}`].filter(Boolean).join(' and ');
  const where = `${path === undefined ? 'the working directory' : elidedPath(path)}${only ? `, among files ${only}` : ''}`;
  const endings = multiline && /\n|\\n/.test(pattern) ? ' Where lines may end in \\r\\n, write \\r?\\n.' : '';
  const ignored = include_ignored
    ? ''
    : ' Files that .gitignore names were not searched; include_ignored searches them.';
  return `No match for "${pattern}" in ${where}. Check the directory and the glob, or try a wider pattern.${endings}${ignored}`;
}

/** Models send several globs in one string; a comma or a space inside braces belongs to its glob. */
function splitGlobs(text: string): string[] {
  const globs: string[] = [];
  let current = '';
  let depth = 0;
  for (const token of text.match(/\\[\s\S]|[\s\S]/g) ?? []) {
    if (token === '{') depth += 1;
    if (token === '}') depth = Math.max(0, depth - 1);
    if (depth > 0 || !/^[,\s]$/.test(token)) {
      current += token;
      continue;
    }
    if (current !== '') globs.push(current);
    current = '';
  }
  return current === '' ? globs : [...globs, current];
}

/**
 * The glob relative to the searched folder. An absolute one, or one that starts with the path from the working
 * directory, is rebased.
 */
function fromFolder(written: string, { folder }: SearchRoot, { cwd }: Pick<ToolContext, 'cwd'>): string[] {
  const not = written.startsWith('!') ? '!' : '';
  const glob = written.slice(not.length).replace(/^\.\//, '/');
  const below = (from: string): string[] => (glob.startsWith(`${from}/`) ? [`${not}${glob.slice(from.length)}`] : []);
  const inFolder = below(folder);
  if (inFolder.length > 0) return inFolder;
  const way = relative(cwd, folder);
  return [`${not}${glob}`, ...(way === '' || way.startsWith('..') ? [] : below(way))];
}

interface PageWish {
  mode: TextMode;
  wanted: GrepInput;
  offset: number;
  end: number;
  /** Filled with the lines on the page, by file, each with its number. */
  shown: Map<string, string[]>;
}

const hasContext = (wanted: GrepInput): boolean =>
  !wanted['-o'] && (wanted['-A'] ?? wanted['-C'] ?? 0) + (wanted['-B'] ?? wanted['-C'] ?? 0) > 0;

/** The first `count` by name; sorting all would take longer than the search. */
function firstByName(names: readonly string[], count: number): string[] {
  let first: string[] = [];
  let last: string | undefined;
  for (const name of names) {
    if (last !== undefined && name > last) continue;
    first.push(name);
    if (first.length < 2 * count) continue;
    first = first.sort().slice(0, count);
    last = first.at(-1);
  }
  return first.sort().slice(0, count);
}

/** The entries of one page. Only these are formatted. */
function page(
  order: readonly string[],
  files: ReadonlyMap<string, FileMatches>,
  name: (file: string) => string,
  { mode, wanted, offset, end, shown: linesOf }: PageWish,
): string[] {
  const entries: string[] = [];
  let passed = 0;
  const add = (write: () => string): void => {
    if (passed >= offset && passed < end) entries.push(write());
    passed += 1;
  };
  for (const file of order) {
    if (passed >= end) break;
    const found = files.get(file);
    if (!found) continue;
    if (mode === 'files_with_matches') add(() => name(file));
    else if (mode === 'count') add(() => `${name(file)}:${found.matches}`);
    else {
      if (hasContext(wanted) && passed > 0) add(() => SEPARATOR);
      const shown = name(file);
      const lines: string[] = [];
      for (const line of found.lines) {
        add(() => {
          lines.push(line);
          return shownLine(shown, line, wanted['-n'] !== false);
        });
      }
      if (lines.length > 0 && !wanted['-o']) linesOf.set(file, lines);
    }
  }
  return entries;
}

/** In grep's format: a colon before a match, a dash before context. */
function shownLine(name: string, line: string, withNumber: boolean): string {
  if (line === SEPARATOR) return SEPARATOR;
  const end = line.search(/[:-]/);
  return `${name}${line[end]}${withNumber ? line : line.slice(end + 1)}`;
}
