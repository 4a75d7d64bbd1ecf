// The parts of a plugin that are files for the model: commands, skills, agents, output styles.
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { entriesIn } from '../platform/files/lenient-reads.js';
import { isObject } from '../platform/is-object.js';
import type { PluginCommand, PluginFacts, PluginFile } from './loaded-plugin.js';
import { exists } from './manifest.js';
import { pathInPlugin } from './plugin-paths.js';
import { nameProblem } from './plugin-problem.js';
import { tomlCommand } from './toml-command.js';

const MAX_DEPTH = 5;
const PART_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,63}$/u;

export function commandsOf(facts: PluginFacts): PluginCommand[] {
  const { root, manifest } = facts;
  const found = [
    ...skillsIn(facts, 'skills', { isOptional: true }),
    ...(!manifest.isListed && exists(join(root, 'SKILL.md')) ? rootSkill(facts) : []),
    ...listed(manifest.fields['skills']).flatMap((path) => skillsIn(facts, path)),
    ...filesIn(facts, 'commands', { isOptional: true, ending: commandEnding(facts) }).flatMap((file) =>
      command(facts, file),
    ),
    ...writtenCommands(facts),
  ];
  const byName = new Map<string, PluginCommand>();
  for (const one of found) {
    const used = byName.get(one.name);
    if (!used) byName.set(one.name, one);
    else if (used.path !== one.path)
      facts.unused(below(facts, one.path), `${below(facts, used.path)} has the same name`);
  }
  return [...byName.values()];
}

export function agentsOf(facts: PluginFacts): PluginFile[] {
  return filesOf(facts, 'agents', 'agents');
}

export function outputStylesOf(facts: PluginFacts): PluginFile[] {
  return filesOf(facts, 'outputStyles', 'output-styles');
}

/** Whether a default folder is searched, and there. */
const isSearched = ({ root, manifest }: PluginFacts, folder: string): boolean =>
  !manifest.isListed && exists(join(root, folder));

/** The files of the default folder, and those that the manifest names in addition. */
function filesOf(facts: PluginFacts, field: string, folder: string): PluginFile[] {
  const named = listed(facts.manifest.fields[field]).flatMap((path) => filesIn(facts, path, { ending: '.md' }));
  const all = [...filesIn(facts, folder, { isOptional: true, ending: '.md' }), ...named];
  return [...new Map(all.map((file) => [file.path, file])).values()];
}

const commandEnding = ({ manifest }: PluginFacts): '.md' | '.toml' => (manifest.format === 'gemini' ? '.toml' : '.md');

function command(facts: PluginFacts, file: PluginFile): PluginCommand[] {
  if (!file.path.endsWith('.toml')) return [{ ...file, kind: 'command' }];
  const read = tomlCommand(readFileSync(file.path, 'utf8'));
  if ('text' in read) return [{ ...file, kind: 'command', text: read.text }];
  facts.unused(below(facts, file.path), read.problem);
  return [];
}

/** `commands` of the manifest: paths, or an object of commands by name. */
function writtenCommands(facts: PluginFacts): PluginCommand[] {
  const written = facts.manifest.fields['commands'];
  if (!isObject(written)) {
    return listed(written).flatMap((path) =>
      filesIn(facts, path, { ending: commandEnding(facts) }).flatMap((file) => command(facts, file)),
    );
  }
  return Object.entries(written).flatMap(([name, entry]): PluginCommand[] => {
    const skip = (reason: string): [] => {
      facts.unused(`commands.${name.slice(0, 64)}`, reason);
      return [];
    };
    if (!PART_NAME.test(name)) return skip('its name has characters that a command can not have');
    const { source, content, description, argumentHint, model, allowedTools }: Record<string, unknown> =
      typeof entry === 'string' ? { source: entry } : isObject(entry) ? entry : {};
    const fields = { description, 'argument-hint': argumentHint, model, 'allowed-tools': allowedTools };
    const front = Object.entries(fields).flatMap(([field, value]) =>
      value === undefined ? [] : [`${field}: ${JSON.stringify(value)}`],
    );
    if (typeof content === 'string') {
      return [
        {
          name,
          kind: 'command',
          path: join(facts.root, 'commands', `${name}.md`),
          text: `---\n${front.join('\n')}\n---\n${content}`,
        },
      ];
    }
    const path = pathInPlugin(facts.root, source);
    return 'problem' in path ? skip(path.problem) : [{ name, kind: 'command', path: path.path }];
  });
}

function rootSkill({ root, manifest }: PluginFacts): PluginCommand[] {
  return [{ name: manifest.name, kind: 'skill', path: join(root, 'SKILL.md') }];
}

/** The skills in a folder, or the one skill that the folder is. */
function skillsIn(facts: PluginFacts, written: unknown, { isOptional = false } = {}): PluginCommand[] {
  if (isOptional && !isSearched(facts, String(written))) return [];
  const place = pathInPlugin(facts.root, written);
  if ('problem' in place) return unusedPath(facts, 'skills', place.problem);
  const own = skillFile(place.path);
  const name = basename(place.path);
  if (own !== undefined)
    return named(facts, [{ name: place.below === '' ? facts.manifest.name : name, path: own }], 'skill');
  const inside = entriesIn(place.path).flatMap(({ name: folder }) => {
    const file = skillFile(join(place.path, folder));
    return file === undefined ? [] : [{ name: folder, path: file }];
  });
  if (inside.length === 0 && !isOptional) facts.unused(`skills: ${place.below}`, 'there is no SKILL.md in it');
  return named(facts, inside, 'skill');
}

function skillFile(folder: string): string | undefined {
  const name = entriesIn(folder).find((entry) => entry.name.toLowerCase() === 'skill.md')?.name;
  return name === undefined ? undefined : join(folder, name);
}

/** Files below a path; the name of one in a subfolder includes the folder. */
function filesIn(
  facts: PluginFacts,
  written: unknown,
  { isOptional = false, ending }: { isOptional?: boolean; ending: '.md' | '.toml' },
): PluginFile[] {
  if (isOptional && !isSearched(facts, String(written))) return [];
  const place = pathInPlugin(facts.root, written);
  if ('problem' in place) return unusedPath(facts, String(written), place.problem);
  if (statSync(place.path).isFile()) {
    if (!place.path.endsWith(ending)) return unusedPath(facts, place.below, `it does not end with ${ending}`);
    return named(facts, [{ name: basename(place.path, ending), path: place.path }]);
  }
  const walk = (folder: string, prefix: string, depth: number): PluginFile[] =>
    entriesIn(folder)
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .flatMap((entry): PluginFile[] => {
        const path = join(folder, entry.name);
        if (isFolderEntry(path)) return depth < MAX_DEPTH ? walk(path, `${prefix}${entry.name}:`, depth + 1) : [];
        return entry.name.endsWith(ending) ? [{ name: `${prefix}${basename(entry.name, ending)}`, path }] : [];
      });
  return named(facts, walk(place.path, '', 1));
}

const isFolderEntry = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function named(facts: PluginFacts, files: readonly PluginFile[]): PluginFile[];
function named(facts: PluginFacts, files: readonly PluginFile[], kind: 'skill'): PluginCommand[];
function named(facts: PluginFacts, files: readonly PluginFile[], kind?: 'skill'): Array<PluginFile | PluginCommand> {
  return files.flatMap((file) => {
    if (file.name.split(':').every((part) => PART_NAME.test(part))) return [kind ? { ...file, kind } : file];
    facts.unused(below(facts, file.path), 'its name has characters that a command can not have');
    return [];
  });
}

function unusedPath({ unused }: PluginFacts, part: string, reason: string): [] {
  unused(part, reason);
  return [];
}

/** One path, or a list of paths. */
export const listed = (value: unknown): unknown[] =>
  value === undefined || isObject(value) ? [] : Array.isArray(value) ? value : [value];

const below = ({ root }: PluginFacts, path: string): string => path.slice(root.length + 1) || basename(dirname(path));

/** Names of other plugins. */
export function dependenciesOf({ manifest, unused }: PluginFacts): string[] {
  return listed(manifest.fields['dependencies']).flatMap((one) => {
    const [name = '', market] = typeof one === 'string' ? one.split('@') : [];
    const fields = isObject(one) ? one : { name, ...(market && !market.startsWith('^') && { marketplace: market }) };
    const { name: wanted, marketplace } = fields as Record<string, unknown>;
    if (nameProblem(wanted) !== undefined || (marketplace !== undefined && nameProblem(marketplace) !== undefined)) {
      unused('dependencies', `${JSON.stringify(one)?.slice(0, 80)} is no name of a plugin`);
      return [];
    }
    return [marketplace === undefined ? String(wanted) : `${wanted}@${marketplace}`];
  });
}
