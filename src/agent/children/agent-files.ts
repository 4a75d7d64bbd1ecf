// Custom agent types: one markdown file each, with front matter and the system prompt below it.

import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type PermissionMode, permissionModes } from '../../contract/permission.js';
import { messageOf } from '../../platform/message-of.js';
import { isSameField, readFrontMatter } from '../../platform/text/front-matter.js';
import { AGENT_TOOL } from '../../tools/roles.js';
import { agentFileNames } from './agent-places.js';
import { type AgentType, names } from './agent-types.js';

const AGENT_NAME = /^[\w.-]{1,64}$/;
const AGENT_REFERENCE = /^(?:[\w.-]{1,64}:)?[\w.-]{1,64}$/; // also one of a plugin
const MAX_FILE_BYTES = 200_000; // a prompt longer than this is a mistake

export interface WrittenTypes {
  types: readonly AgentType[];
  /** Problems of files, one sentence each. Such a file, or only the field in question, is ignored. */
  problems: readonly string[];
}

/** The agents of one plugin, which a person has approved. */
export interface PluginAgents {
  plugin: string;
  files: ReadonlyArray<{ path: string }>;
  /** By name, without `${}`. */
  variables: Readonly<Record<string, string>>;
}

/**
 * The types in these folders, and those of plugins, which have the plugin's name before theirs. Of two types with the
 * same name, the one in the earlier folder is used.
 */
export async function readAgentTypes(
  folders: readonly string[],
  plugins: readonly PluginAgents[] = [],
): Promise<WrittenTypes> {
  const files = (await Promise.all(folders.map(agentFilesIn))).flat();
  const read = await Promise.all([...files.map((file) => readAgentFile(file)), ...plugins.flatMap(readPluginAgents)]);
  const types = new Map<string, AgentType>();
  for (const { type } of read) if (type && !types.has(type.name)) types.set(type.name, type);
  return { types: [...types.values()], problems: read.flatMap(({ problems }) => problems) };
}

const agentFilesIn = async (folder: string): Promise<string[]> =>
  agentFileNames(folder).map((name) => join(folder, name));

const readPluginAgents = ({ plugin, files, variables }: PluginAgents) =>
  files.map(async ({ path }) => {
    const { type, problems } = await readAgentFile(path);
    if (!type) return { problems };
    const prompt = type.prompt.replaceAll(/\$\{([\w.]+)\}/g, (written, name: string) =>
      Object.hasOwn(variables, name) ? (variables[name] ?? written) : written,
    );
    return { type: { ...type, name: `${plugin}:${type.name}`, prompt }, problems };
  });

async function readAgentFile(file: string): Promise<{ type?: AgentType; problems: string[] }> {
  let text = '';
  try {
    const stats = await stat(file);
    if (!stats.isFile()) throw new Error('it is not a file.'); // opening a pipe would wait for its writer
    const { size } = stats;
    if (size > MAX_FILE_BYTES) throw new Error(`it has ${size} bytes, and at most ${MAX_FILE_BYTES} are read.`);
    text = await readFile(file, 'utf8');
    const { fields, body } = await readFrontMatter(text);
    return typeFrom(fields, body.trim(), file);
  } catch (error) {
    const why = messageOf(error);
    const line = error instanceof BadField ? `line ${lineOf(error.field, text)}: ` : '';
    return { problems: [`${file}: ${line}${why} The agent is left out.`] };
  }
}

/** A problem of one field. */
class BadField extends Error {
  readonly field: string;

  constructor(field: string, what: string) {
    super(`"${field}" ${what}`);
    this.field = field;
  }
}

/** The line of the field, or a line where a missing field could be added. */
function lineOf(field: string, text: string): number {
  const at = text.split('\n').findIndex((line) => line.startsWith(`${field}:`));
  return at < 0 ? 1 : at + 1;
}

type Fields = Readonly<Record<string, unknown>>;

/** An invalid field makes the whole file invalid, since it may be one that restricts the agent. */
function typeFrom(fields: Fields, prompt: string, file: string): { type: AgentType; problems: string[] } {
  const { name = basename(file, '.md'), description, model, maxTurns } = fields;
  if (typeof name !== 'string' || !AGENT_NAME.test(name)) {
    throw new BadField('name', 'must have letters, digits, "-", "_" and ".", at most 64. Correct it.');
  }
  if (typeof description !== 'string' || description.trim() === '') {
    throw new BadField('description', 'is missing. Say in a sentence when the agent is to be used.');
  }
  if (prompt === '') throw new Error('there is no text below the front matter. Write the system prompt there.');
  const tools = toolsIn(fields, 'tools');
  const disallowedTools = toolsIn(fields, 'disallowedTools');
  const mode = modeIn(fields);
  if (model !== undefined && typeof model !== 'string') throw new BadField('model', 'must be the name of a model.');
  if (maxTurns !== undefined && !(typeof maxTurns === 'number' && Number.isInteger(maxTurns) && maxTurns > 0)) {
    throw new BadField('maxTurns', 'must be a whole number above 0.');
  }
  const { isolation } = fields;
  if (isolation !== undefined && isolation !== 'worktree') {
    throw new BadField('isolation', 'must be "worktree". Leave it out for an agent that works in the project itself.');
  }
  const unknown = Object.keys(fields).filter((field) => !knownFields.includes(field));
  for (const field of unknown) {
    const meant = meantField(field);
    if (meant !== undefined) throw new BadField(field, `is not a field of an agent. Write "${meant}".`);
  }
  return {
    type: {
      name,
      description: description.trim(),
      prompt,
      file,
      ...(tools && { tools: tools.names }),
      ...(tools?.agents && { agents: tools.agents }),
      ...(disallowedTools && { disallowedTools: disallowedTools.names }),
      ...(disallowedTools?.agents && { disallowedAgents: disallowedTools.agents }),
      ...(mode && { mode }),
      ...(model !== undefined && model !== 'inherit' && { model }),
      ...(maxTurns !== undefined && { maxTurns }),
      ...(isolation !== undefined && { isolation }),
    },
    problems: unknown.length === 0 ? [] : [`${file}: these fields have no effect here: ${unknown.join(', ')}.`],
  };
}

const knownFields: readonly string[] = [
  ...['name', 'description', 'tools', 'disallowedTools', 'model', 'permissionMode', 'maxTurns', 'isolation'],
  'color', // used by the interfaces of other programs
];

/** The correct name of a misspelled field, which would be ignored although it may restrict the agent. */
function meantField(field: string): string | undefined {
  if (isSameField(field, 'allowed-tools')) return 'tools'; // the name of the field in command files
  return knownFields.find((known) => isSameField(known, field));
}

interface NamedTools {
  names: readonly string[];
  /** The agent types in parentheses after the tool that starts agents. */
  agents?: readonly string[];
}

/** A list, or a text with commas. `Agent(x, y)` names the tool that starts agents, and the types that it may start. */
function toolsIn(fields: Fields, field: 'tools' | 'disallowedTools'): NamedTools | undefined {
  const value = fields[field];
  if (value === undefined || value === null) return undefined;
  const texts: unknown = typeof value === 'string' ? splitOutsideBrackets(value) : value;
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) {
    throw new BadField(field, 'must be names of tools, with commas between them or as a list.');
  }
  const plain: string[] = [];
  const agents: string[] = [];
  for (const text of texts) {
    const [, inBrackets] = /^(?:Agent|Task)\(([^()]*)\)$/.exec(text) ?? [];
    const named = inBrackets === undefined ? [] : names(inBrackets);
    if (named.length > 0 && named.every((name) => AGENT_REFERENCE.test(name))) agents.push(...named);
    else if (/^[\w*-]+$/.test(text)) plain.push(text);
    else
      throw new BadField(
        field,
        `holds "${text}", which is not the name of a tool. List names of tools here; rules belong in settings.`,
      );
  }
  if (agents.length === 0) return { names: plain };
  // Allowing some agent types requires the tool; denying some keeps it.
  return { names: field === 'tools' ? [...plain, AGENT_TOOL] : plain, agents };
}

const splitOutsideBrackets = (text: string): string[] => text.match(/[^\s,(]+(?:\([^)]*\))?|\([^)]*\)?/g) ?? [];

function modeIn(fields: Fields): PermissionMode | undefined {
  const value = fields['permissionMode'];
  if (value === undefined) return undefined;
  const mode = permissionModes.find((known) => known === value);
  if (mode) return mode;
  throw new BadField('permissionMode', `must be one of ${permissionModes.join(', ')}.`);
}
