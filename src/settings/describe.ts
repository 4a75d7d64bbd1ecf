// The list of settings for people and for editors, generated from the same table that the loader uses.
import * as z from 'zod';
import type { JsonSchema } from '../contract/model.js';
import { settingNames, settings } from './schema.js';
import type { Setting } from './setting.js';

export interface SettingDescription {
  key: string;
  about: string;
  /** How values of several sources are merged. */
  merge: 'strongest' | 'strictest' | 'together' | 'by name';
  /** Whether it applies in a project's files: always, if the folder is trusted, only if it is stricter, or never. */
  project: 'always' | 'trusted' | 'tightening' | 'never';
  /** What an invalid value does. */
  broken: 'left out' | 'strictest' | 'no start';
}

export const describeSettings = (): SettingDescription[] =>
  settingNames.map((key) => {
    const setting = settings[key];
    const { about, broken } = setting;
    return {
      key,
      about,
      merge: mergeOf(setting),
      project: projectOf(setting),
      broken: broken === undefined ? 'left out' : broken === 'refuse' ? 'no start' : 'strictest',
    };
  });

function mergeOf({ shape, strictest }: Setting): SettingDescription['merge'] {
  if (shape === 'list' || shape === 'hooks') return 'together';
  if (shape === 'map') return 'by name';
  return strictest === undefined ? 'strongest' : 'strictest';
}

function projectOf({ from, loosens, order }: Setting): SettingDescription['project'] {
  if (from && !from.includes('project')) return 'never';
  if (!loosens) return 'always';
  if (order) return 'tightening';
  return [true, false].every((value) => loosens(value)) ? 'trusted' : 'tightening';
}

/** The values of a setting if it is an enumeration or a boolean; otherwise undefined. */
export function settingValues(key: (typeof settingNames)[number]): string[] | undefined {
  const { shape, schema } = settings[key];
  if (shape !== 'one') return undefined;
  const { type, enum: words } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  if (type === 'boolean') return ['true', 'false'];
  return words?.every((word) => typeof word === 'string') ? words : undefined;
}

/** The JSON Schema of a settings file, for editors. Other names are allowed, since other agents have settings too. */
export function settingsJsonSchema(): JsonSchema {
  const root: Section = { type: 'object', properties: {} };
  root.properties['$schema'] = { type: 'string' };
  for (const key of settingNames) {
    const parts = key.split('.');
    const section = parts.slice(0, -1).reduce(sectionIn, root);
    section.properties[parts.at(-1) ?? key] = schemaOf(settings[key]);
  }
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Settings of Helve', ...root };
}

interface Section {
  type: 'object';
  properties: Record<string, JsonSchema | Section>;
}

function sectionIn(above: Section, name: string): Section {
  const known = above.properties[name];
  if (isSection(known)) return known;
  const made: Section = { type: 'object', properties: {} };
  above.properties[name] = made;
  return made;
}

const isSection = (schema: JsonSchema | Section | undefined): schema is Section =>
  schema?.type === 'object' && 'properties' in schema;

function schemaOf({ about, shape, schema }: Setting): JsonSchema {
  const { $schema: _, ...value } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  if (shape === 'list') return { description: about, type: 'array', items: value };
  if (shape === 'map') return { description: about, type: 'object', additionalProperties: value };
  return { ...value, description: about };
}
