// Which engine a container command is sent to if its words name none: by variables, or by docker's own settings.
import { isAbsolute, join } from 'node:path';
import type { ContainerEngine } from '../../contract/effect.js';
import { codeOf } from '../error-code.js';
import { readRegularFile } from '../files/read-regular-file.js';
import { isObject } from '../is-object.js';
import type { Assigned } from './programs/program.js';
import type { State } from './shell-state.js';

const DOCKER = { host: 'DOCKER_HOST', context: 'DOCKER_CONTEXT' };
const PODMAN = { host: 'CONTAINER_HOST', context: 'CONTAINER_CONNECTION' };
const variablesOf: ReadonlyMap<string, typeof DOCKER> = new Map([
  ['docker', DOCKER],
  ['docker-compose', DOCKER],
  ['podman', PODMAN],
]);

/** A variable that the command sets: a missing value is not known before it runs. */
export type SetVariables = ReadonlyMap<string, string | undefined>;

/** The variables that a container command gets from the text around it; undefined for another command. */
export function engineVariables(
  command: string,
  assigns: readonly Assigned[],
  { variables, tampered }: Pick<State, 'variables' | 'tampered'>,
): SetVariables | undefined {
  const names = variablesOf.get(command.replace(/^.*\//, ''));
  if (!names) return undefined;
  const found = new Map<string, string | undefined>();
  for (const name of [names.host, names.context, 'DOCKER_CONFIG', 'HOME']) {
    const own = assigns.findLast((assigned) => assigned.name === name);
    if (own) found.set(name, own.value);
    else if (variables.has(name)) found.set(name, variables.get(name)?.map(({ value }) => value)[0]);
    else if (tampered !== undefined) found.set(name, undefined); // a script that it has read may have set any variable
  }
  return found;
}

/** Of the first that is set: the host, the context, the context of docker's settings. Undefined if it is not known. */
export function containerEngine(
  command: string,
  set: SetVariables,
  { env, home }: { env: Readonly<Record<string, string | undefined>>; home: string | undefined },
): ContainerEngine | undefined {
  const names = variablesOf.get(command.replace(/^.*\//, ''));
  if (!names) return undefined;
  const isUnknown = (name: string): boolean => set.has(name) && set.get(name) === undefined;
  const settingOf = (name: string): string | undefined => (set.has(name) ? set.get(name) : env[name]) || undefined;
  if (isUnknown(names.host)) return undefined;
  const host = settingOf(names.host);
  if (host !== undefined) return { host };
  if (isUnknown(names.context)) return undefined;
  const context = settingOf(names.context);
  if (context !== undefined) return { context };
  if (names !== DOCKER || isUnknown('DOCKER_CONFIG') || isUnknown('HOME')) return undefined;
  const userHome = set.get('HOME') ?? home;
  const folder = settingOf('DOCKER_CONFIG') ?? (userHome === undefined ? undefined : join(userHome, '.docker'));
  return folder === undefined || !isAbsolute(folder) ? undefined : contextIn(join(folder, 'config.json'));
}

/** The context that `docker context use` has written. */
function contextIn(file: string): ContainerEngine | undefined {
  let settings: unknown;
  try {
    settings = JSON.parse(readRegularFile(file));
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? { context: 'default' } : undefined;
  }
  if (!isObject(settings)) return undefined;
  const { currentContext: context } = settings;
  return { context: typeof context === 'string' && context !== '' ? context : 'default' };
}
