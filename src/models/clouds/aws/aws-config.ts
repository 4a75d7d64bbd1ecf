// The configuration files that AWS's own tools share: ~/.aws/config and ~/.aws/credentials.

import { join } from 'node:path';
import { ModelFailure } from '../../../contract/model.js';
import { homeFolder, isMissing } from '../../../platform/files/paths.js';
import { readRegularFile } from '../../../platform/files/read-regular-file.js';
import { messageOf } from '../../../platform/message-of.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** One profile, with the settings of both files. */
export interface AwsProfile {
  name: string;
  /** Whether any of the files has it. */
  exists: boolean;
  /** Those of the credentials file take precedence. */
  settings: ReadonlyMap<string, string>;
}

/** The profile that AWS_PROFILE names, else "default". */
export async function readAwsProfile(env: Environment): Promise<AwsProfile> {
  const name = env['AWS_PROFILE']?.trim() || 'default';
  const folder = join(env['HOME'] || (homeFolder() ?? '/'), '.aws');
  const [config, credentials] = await Promise.all([
    readSections(env['AWS_CONFIG_FILE']?.trim() || join(folder, 'config')),
    readSections(env['AWS_SHARED_CREDENTIALS_FILE']?.trim() || join(folder, 'credentials')),
  ]);
  const sections = [
    config.get(`profile ${name}`) ?? (name === 'default' ? config.get(name) : undefined),
    credentials.get(name),
  ];
  const settings = new Map(sections.flatMap((section) => [...(section ?? [])]));
  return { name, exists: sections.some((section) => section !== undefined), settings };
}

/** The region: from the environment, else from the profile. */
export function awsRegion(env: Environment, profile: AwsProfile): string | undefined {
  return env['AWS_REGION']?.trim() || env['AWS_DEFAULT_REGION']?.trim() || profile.settings.get('region') || undefined;
}

type Sections = Map<string, Map<string, string>>;

async function readSections(path: string): Promise<Sections> {
  let text: string;
  try {
    text = readRegularFile(path);
  } catch (error) {
    if (isMissing(error)) return new Map();
    throw new ModelFailure('auth', `${path} can't be read (${messageOf(error)}).`, { advice: 'Correct that.' });
  }
  return parseSections(text);
}

/** Sections of `name = value`. Indented lines belong to the setting before them and are skipped. */
export function parseSections(text: string): Sections {
  const sections: Sections = new Map();
  let section: Map<string, string> | undefined;
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const heading = headingIn(line.trim());
    if (heading !== undefined) {
      const name = heading.replace(/^profile\s+/, 'profile ').replaceAll(/["']/g, '');
      section = sections.get(name) ?? new Map();
      sections.set(name, section);
      continue;
    }
    const { name, value } = /^(?<name>[^\s=#;][^=]*?)\s*=\s*(?<value>.*?)\s*$/.exec(line)?.groups ?? {};
    if (name !== undefined && value !== undefined) section?.set(name.toLowerCase(), value.replace(/\s[#;].*$/, ''));
  }
  return sections;
}

/** The text between brackets; a comment may follow. */
function headingIn(line: string): string | undefined {
  const end = line.indexOf(']');
  return line.startsWith('[') && end > 0 ? line.slice(1, end).trim() : undefined;
}
