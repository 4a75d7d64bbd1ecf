import { statSync } from 'node:fs';
import type { ParseArgsConfig } from 'node:util';
import { type PermissionMode, permissionModes } from '../contract/permission.js';
import type { EngineOptions } from '../create-engine.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { UsageProblem } from './usage-problem.js';

type OptionSpecs = NonNullable<ParseArgsConfig['options']>;

/** Flags that hold for every command that runs or judges calls. */
export const engineFlags = {
  'permission-mode': { type: 'string' },
  'dangerously-skip-permissions': { type: 'boolean' },
  'add-dir': { type: 'string', multiple: true },
  simple: { type: 'boolean' },
} as const satisfies OptionSpecs;

/** Parses strictly: an unknown or incomplete flag is a usage problem that names the nearest known one. */
export function readArgs<Options extends OptionSpecs>(argv: readonly string[], options: Options) {
  const { parseArgs } = process.getBuiltinModule('node:util'); // an import of it would load far more than this
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageProblem(explain(error, options));
  }
}

function explain(error: unknown, options: OptionSpecs): string {
  const message = error instanceof Error ? error.message : String(error);
  const incomplete = /^Option '(?:-\w, )?(--[\w-]+) <value>' argument missing/.exec(message)?.[1];
  if (incomplete !== undefined) return `${incomplete} needs a value after it.`;
  const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return `${message.split('. ')[0]}.`;
  const [nearest] = nearestWords(unknown.replace(/^-+/, ''), Object.keys(options));
  return `There is no option ${unknown} here.${nearest ? ` Did you mean --${nearest}?` : ''}`;
}

export interface EngineFlagValues {
  'permission-mode'?: string | undefined;
  'dangerously-skip-permissions'?: boolean | undefined;
  'add-dir'?: string[] | undefined;
  simple?: boolean | undefined;
}

/** What the flags and the environment say about permissions and tools. */
export function engineOptions(flags: EngineFlagValues, env: NodeJS.ProcessEnv): EngineOptions {
  const permissionMode = readPermissionMode(flags);
  if (permissionMode === 'bypassPermissions') refuseToRoot(env);
  const simple = flags.simple === true || env['HELVE_SIMPLE'] === '1';
  return {
    permissionMode,
    additionalDirectories: (flags['add-dir'] ?? []).map(existingFolder),
    toolSet: simple ? 'simple' : 'headless',
    env,
  };
}

function existingFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageProblem(`--add-dir takes a folder, but there is none at "${path}".`);
}

// acceptEdits needs the protected paths that only come with the rules; until then it would promise too much.
const offeredModes = permissionModes.filter((mode) => mode !== 'acceptEdits');

function readPermissionMode(flags: EngineFlagValues): PermissionMode {
  if (flags['dangerously-skip-permissions']) {
    const other = flags['permission-mode'];
    if (other === undefined || other === 'bypassPermissions') return 'bypassPermissions';
    throw new UsageProblem(
      `--dangerously-skip-permissions and --permission-mode ${other} contradict each other. Leave one out.`,
    );
  }
  const wanted = flags['permission-mode'] ?? 'default';
  const mode = offeredModes.find((known) => known === wanted);
  if (mode) return mode;
  throw new UsageProblem(`--permission-mode takes ${offeredModes.join(', ')}, but was "${wanted}".`);
}

function refuseToRoot(env: NodeJS.ProcessEnv): void {
  if (process.getuid?.() !== 0 || ['1', 'yes', 'true'].includes(env['IS_SANDBOX'] ?? '')) return;
  throw new UsageProblem(
    'The mode bypassPermissions is refused to root, since nothing would stand between the model and the machine. ' +
      'Run helve as an ordinary user, or set IS_SANDBOX=1 if this machine is itself a sandbox.',
  );
}
