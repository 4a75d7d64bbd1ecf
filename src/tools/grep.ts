import { join } from 'node:path';
import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { resolveIn, shortPath } from '../platform/files/paths.js';
import type { RipgrepOutput } from '../platform/ripgrep.js';
import { counted } from './counted.js';
import { readEffects } from './file-effect.js';
import { pathText, systemText, withAliases } from './input.js';
import {
  filesNotIgnored,
  NO_VERSION_CONTROL,
  newestFirst,
  SEARCH_ARGS,
  type SearchRoot,
  search,
  searchRoot,
  stoppedNotice,
  withoutDot,
} from './search-root.js';

const DEFAULT_ENTRIES = 250;
const MAX_COLUMNS = 500; // minified code: the match matters, not the line

const description = `Search inside files with a regular expression (ripgrep's syntax).
Use it instead of grep or rg in Bash. Use Glob to find files by name, Read to see a file that you know.
Answers with the files that match, newest first, or with output_mode "content" the matching lines, or "count" the number of matches in each file. A literal brace needs a backslash: interface\\{\\}.
Shows ${DEFAULT_ENTRIES} entries unless head_limit says otherwise, and cuts lines at ${MAX_COLUMNS} columns. Hidden files are searched, files that .gitignore names are not.`;

const lineCount = z.int().min(0).optional();

const input = withAliases(
  { include: 'glob', after_context: '-A', before_context: '-B', context: '-C', line_numbers: '-n', ignore_case: '-i' },
  z.strictObject({
    pattern: systemText.describe('The regular expression to search for'),
    path: pathText.optional().describe('File or directory to search. Defaults to the working directory.'),
    glob: systemText.optional().describe('Only files that match this glob, for example "*.ts" or "src/**/*.{js,ts}"'),
    type: systemText.optional().describe('Only files of this type, for example "js", "py", "rust"'),
    output_mode: z
      .enum(['content', 'files_with_matches', 'count'])
      .optional()
      .describe('What to show. Default "files_with_matches"'),
    '-A': lineCount.describe('Lines to show after each match (content mode)'),
    '-B': lineCount.describe('Lines to show before each match (content mode)'),
    '-C': lineCount.describe('Lines to show before and after each match (content mode)'),
    '-n': z.boolean().optional().describe('Show line numbers (content mode). Default true'),
    '-i': z.boolean().optional().describe('Ignore case. Default false'),
    multiline: z.boolean().optional().describe('Let the pattern match across lines, "." included. Default false'),
    head_limit: z
      .int()
      .min(0)
      .optional()
      .describe(`Show at most this many entries; 0 for all. Default ${DEFAULT_ENTRIES}`),
    offset: z.int().min(0).optional().describe('Skip this many entries first. Default 0'),
  }),
);

type GrepInput = z.output<typeof input>;

interface GrepData {
  mode: 'content' | 'files_with_matches' | 'count';
  /** What is shown: lines, files, or files with their counts. */
  entries: string[];
  offset: number;
  totalEntries: number;
  files: number;
  matches: number | undefined;
  stopped: RipgrepOutput['stopped'];
  unreadable: number;
}

export const grepTool = defineTool<GrepInput, GrepData>({
  name: 'Grep',
  description,
  input,
  effects: ({ path = '.' }, context) => readEffects(path, context, { tree: true }),

  async validate({ path = '.' }, context) {
    await searchRoot(path, context);
    return undefined;
  },

  async execute(wanted, context) {
    const { path = '.', output_mode: mode = 'files_with_matches', head_limit = DEFAULT_ENTRIES, offset = 0 } = wanted;
    const root = await searchRoot(path, context);
    const [output, kept] = await Promise.all([
      search(argumentsFor(wanted, mode), root, context),
      wanted.glob === undefined ? undefined : filesNotIgnored(root, context),
    ]);
    const groups = groupByFile(output.text, mode === 'files_with_matches' ? '\0' : '\n');
    for (const file of groups.keys()) {
      const isShown = context.mayRead(join(root.folder, file)) && (!kept || kept.files.has(file));
      if (!isShown) groups.delete(file);
    }
    const order =
      mode === 'files_with_matches' ? await newestFirst(root.folder, [...groups.keys()]) : [...groups.keys()].sort();
    const name = nameIn(root, path, context);
    const all = order.flatMap((file, index) => entriesOf(mode, name(file), groups.get(file) ?? [], index, wanted));
    return {
      mode,
      entries: head_limit === 0 ? all.slice(offset) : all.slice(offset, offset + head_limit),
      offset,
      totalEntries: all.length,
      files: groups.size,
      matches: mode === 'count' ? [...groups.values()].reduce((sum, [count]) => sum + Number(count), 0) : undefined,
      stopped: output.stopped ?? kept?.stopped,
      unreadable: output.unreadable.length,
    };
  },

  toModel({ mode, entries, offset, totalEntries, files, matches, stopped, unreadable }, { pattern }) {
    const notices = [
      unreadable > 0 ? `${counted(unreadable, 'file or directory', 'files or directories')} could not be read.` : '',
      stoppedNotice(stopped),
    ].filter(Boolean);
    const end = notices.map((notice) => `\n(${notice})`).join('');
    if (totalEntries === 0) {
      if (stopped) return `Nothing was found before the search ended.${end}`;
      return `No match for "${pattern}". Check the directory and the glob, or try a wider pattern.${end}`;
    }
    const unit = mode === 'content' ? 'line' : 'file';
    if (entries.length === 0)
      return `There ${totalEntries === 1 ? 'is' : 'are'} ${counted(totalEntries, unit)}, so there is nothing at offset ${offset}.${end}`;
    const next = offset + entries.length;
    const page =
      entries.length < totalEntries
        ? `\n(Showing ${unit}s ${offset + 1}–${next} of ${totalEntries}.${next < totalEntries ? ` To continue, use offset ${next}.` : ''})`
        : '';
    const found = counted(files, 'file');
    const body = entries.join('\n');
    if (mode === 'files_with_matches') return `Found ${found}\n${body}${page}${end}`;
    if (mode === 'content') return `${body}${page}${end}`;
    return `${body}\nFound ${counted(matches ?? 0, 'match', 'matches')} in ${found}.${page}${end}`;
  },

  displayCall: ({ pattern = '', path }) => ({ title: path ? `${pattern} in ${path}` : pattern }),
  displayResult: ({ mode, entries, files, totalEntries }) => ({
    title:
      mode === 'content' ? `${counted(totalEntries, 'line')} in ${counted(files, 'file')}` : counted(files, 'file'),
    body: mode === 'content' ? { type: 'text', text: entries.join('\n') } : { type: 'list', items: entries },
  }),
});

function argumentsFor(wanted: GrepInput, mode: GrepData['mode']): string[] {
  const args: string[] = ['--null', '--with-filename', '--no-heading', '--crlf', ...SEARCH_ARGS];
  if (mode === 'files_with_matches') args.push('--files-with-matches');
  if (mode === 'count') args.push('--count-matches');
  if (mode === 'content') {
    args.push(`--max-columns=${MAX_COLUMNS}`, '--max-columns-preview');
    args.push(wanted['-n'] === false ? '--no-line-number' : '--line-number');
    if (wanted['-A'] !== undefined) args.push(`--after-context=${wanted['-A']}`);
    if (wanted['-B'] !== undefined) args.push(`--before-context=${wanted['-B']}`);
    if (wanted['-C'] !== undefined) args.push(`--context=${wanted['-C']}`);
  }
  if (wanted['-i']) args.push('--ignore-case');
  if (wanted.multiline) args.push('--multiline', '--multiline-dotall');
  if (wanted.type !== undefined) args.push(`--type=${wanted.type}`);
  for (const glob of splitGlobs(wanted.glob ?? '')) args.push(`--glob=${glob}`);
  return [...args, ...NO_VERSION_CONTROL, `--regexp=${wanted.pattern}`];
}

/** Models send several globs in one text; a comma in braces belongs to its glob. */
function splitGlobs(globs: string): string[] {
  return globs.match(/(?:\{[^}]*\}|[^,\s])+/g) ?? [];
}

const SEPARATOR = '--';

/** What ripgrep says about each file, in its order. A path ends with a NUL, so that no name can pass for something else. */
function groupByFile(output: string, end: '\0' | '\n'): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const record of output.split(end)) {
    if (record === '') continue;
    const [path = '', ...rest] = end === '\0' ? [record] : record.split('\0');
    if (end === '\n' && rest.length === 0) {
      if (record === SEPARATOR) current?.push(record);
      continue;
    }
    const file = withoutDot(path);
    current = groups.get(file) ?? [];
    groups.set(file, current);
    current.push(rest.join('\0').replace(/\r$/, ''));
  }
  return groups;
}

function entriesOf(
  mode: GrepData['mode'],
  name: string,
  lines: readonly string[],
  index: number,
  wanted: GrepInput,
): string[] {
  if (mode === 'files_with_matches') return [name];
  if (mode === 'count') return [`${name}:${lines[0]}`];
  // Ripgrep writes a separator before the next file as well; here the next file brings its own.
  const own = lines.at(-1) === SEPARATOR ? lines.slice(0, -1) : lines;
  const hasContext = wanted['-A'] || wanted['-B'] || wanted['-C'];
  const shown = own.map((line) => {
    if (line === SEPARATOR) return SEPARATOR;
    const numbered = wanted['-n'] === false ? null : /^\d+([:-])/.exec(line);
    return `${name}${numbered?.[1] ?? ':'}${line}`;
  });
  return hasContext && index > 0 ? [SEPARATOR, ...shown] : shown;
}

function nameIn(root: SearchRoot, path: string, { cwd }: Pick<ToolContext, 'cwd'>): (file: string) => string {
  const searched = resolveIn(cwd, path);
  return root.path === './' ? (file) => shortPath(cwd, join(searched, file)) : () => shortPath(cwd, searched);
}
