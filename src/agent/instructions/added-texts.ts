// Texts that settings and plugins add to the system prompt: the output style, and context files of plugins.
import { basename, join } from 'node:path';
import { namesIn } from '../../platform/files/lenient-reads.js';
import { messageOf } from '../../platform/message-of.js';
import { clause } from '../../platform/text/clause.js';
import { readFrontMatter } from '../../platform/text/front-matter.js';
import { shownLine } from '../../platform/text/shown-line.js';
import { readProjectText, type TextRules } from '../project-text.js';
import { identity } from '../system-prompt.js';
import { type InstructionPlaces, projectBoundary } from './instruction-files.js';

const MAX_CHARS = 50_000;

export interface AddedTextsOptions {
  system: string[];
  /** The setting `outputStyle`. */
  style: string | undefined;
  /** Whether the system prompt is Helve's own, and not that of a flag or a program. */
  isOwnPrompt: boolean;
  /** Absolute; of plugins. */
  contextFiles: readonly string[];
  places: InstructionPlaces;
  isTrusted(): boolean;
  /** Files of output styles of plugins. */
  ofPlugins: ReadonlyArray<{ plugin: string; path: string }>;
  mayRead(real: string): boolean;
  notify(text: string): void;
}

export async function addTexts(options: AddedTextsOptions): Promise<void> {
  const { system, style, contextFiles, notify } = options;
  const rules = rulesOf(options);
  if (style !== undefined && style !== 'default') await addStyle(style, options, rules);
  for (const path of contextFiles) {
    const read = await readProjectText(path, { source: 'user', maxChars: MAX_CHARS }, rules);
    if ('text' in read) system.push(`A plugin that the user has approved adds:\n\n${read.text.trim()}`);
    else notify(`${path} is not given to the model: ${clause(read.problem)}.`);
  }
}

interface OutputStyle {
  name: string;
  keepsCodingInstructions: boolean;
  text: string;
}

async function addStyle(wanted: string, options: AddedTextsOptions, rules: TextRules): Promise<void> {
  const { system, isOwnPrompt, notify } = options;
  const styles = await readStyles(options, rules);
  const named = (same: (name: string) => boolean): OutputStyle | undefined => styles.find(({ name }) => same(name));
  const style = named((name) => name === wanted) ?? named((name) => name.toLowerCase() === wanted.toLowerCase());
  if (!style) {
    const known = ['default', ...styles.map(({ name }) => shownLine(name, 80))].join(', ');
    const isUntrusted = !options.isTrusted() && stylesOf(options.places.root).length > 0;
    const trust = isUntrusted
      ? ' Those of this folder do not count, because it is not trusted. To look at it and trust it: helve config trust; for one run: --trust.'
      : '';
    notify(
      `There is no output style "${shownLine(wanted, 80)}", so answers have the default style. There are: ${known}.${trust}`,
    );
    return;
  }
  if (isOwnPrompt && !style.keepsCodingInstructions) system[0] = identity;
  system.push(`The style of your answers, which the user has chosen (${style.name}):\n\n${style.text}`);
}

/** The names of the styles in a project's own folders. */
const stylesOf = (root: string): string[] =>
  ['.helve', '.claude'].flatMap((folder) =>
    namesIn(join(root, folder, 'output-styles')).filter((name) => name.endsWith('.md')),
  );

/** Those of a trusted project, of the person, and of plugins, with the plugin's name before theirs. */
async function readStyles(options: AddedTextsOptions, rules: TextRules): Promise<OutputStyle[]> {
  const { root, home, dataFolder, env } = options.places;
  const claude = env['CLAUDE_CONFIG_DIR'] || (home === undefined ? undefined : join(home, '.claude'));
  const project = options.isTrusted() ? [join(root, '.helve'), join(root, '.claude')] : [];
  const folders = [
    ...project.map((folder) => ({ folder, source: 'project' as const })),
    ...[dataFolder, ...(claude === undefined ? [] : [claude])].map((folder) => ({ folder, source: 'user' as const })),
  ];
  const written = folders.flatMap(({ folder, source }) =>
    namesIn(join(folder, 'output-styles'))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => ({ path: join(folder, 'output-styles', name), source, prefix: '' })),
  );
  const ofPlugins = options.ofPlugins.map(({ plugin, path }) => ({
    path,
    source: 'user' as const,
    prefix: `${plugin}:`,
  }));
  const styles: OutputStyle[] = [];
  for (const { path, source, prefix } of [...written, ...ofPlugins]) {
    const read = await readProjectText(path, { source, maxChars: MAX_CHARS }, rules);
    try {
      if (!('text' in read)) throw new Error(read.problem);
      const { fields, body } = await readFrontMatter(read.text);
      const { name } = fields;
      styles.push({
        name: prefix + (typeof name === 'string' && name.trim() !== '' ? name.trim() : basename(path, '.md')),
        keepsCodingInstructions: fields['keep-coding-instructions'] === true,
        text: body.trim(),
      });
    } catch (error) {
      options.notify(`The output style in ${path} can't be used: ${clause(messageOf(error))}.`);
    }
  }
  return styles;
}

const rulesOf = ({ places, isTrusted, mayRead }: AddedTextsOptions): TextRules => ({
  boundary: projectBoundary(places),
  trusted: isTrusted(),
  home: places.home,
  dataFolder: places.dataFolder,
  mayRead,
});
