// The rules, folders and mode that apply at one location, from settings files or from the settings of a request.
import * as z from 'zod';
import { type KnownNames, knownNames } from '../agent/known-names.js';
import { type PermissionMode, permissionModes, sandboxModes } from '../contract/permission.js';
import type { Anchors } from '../permissions/match-path.js';
import { parseRules } from '../permissions/parse-rule.js';
import type { Rule, RuleLists } from '../permissions/rule.js';
import type { PolicySandbox } from '../permissions/sandboxed-call.js';
import { folderNames, realName, resolveIn } from '../platform/files/paths.js';
import { isObject } from '../platform/is-object.js';
import { findFiles, type LoadOptions, readFrom, trustStamp } from '../settings/load.js';
import { placeOf, type SettingsProblem } from '../settings/settings-problem.js';
import { toolTable } from '../tools/index.js';

const MAX_REMEMBERED = 100; // sets of rules; requests about many calls share few policies

export type PolicyProblem = Pick<SettingsProblem, 'severity' | 'file' | 'line' | 'message'>;

export interface LocationPolicy {
  rules: readonly Rule[];
  /** Absolute. */
  folders: readonly string[];
  mode?: PermissionMode | undefined;
  /** The file that turns the mode bypassPermissions off. */
  bypassDisabledBy?: string | undefined;
  /** Tools that settings turn off, with the location of the setting. */
  off?: ReadonlyMap<string, string>;
  /** Hosts that WebFetch may reach by plain http. */
  localHosts?: readonly string[];
  /** Absent if the settings don't turn on a sandbox. */
  sandbox?: ConfiguredSandbox | undefined;
  problems: readonly PolicyProblem[];
}

export interface ProjectLocation {
  cwd: string;
  home: string | undefined;
}

/** Where settings files are, and which names rules may use. */
interface LocationOptions {
  settings: Pick<LoadOptions, 'env' | 'flag' | 'managedFolder' | 'trust'> | undefined;
  knownTools: readonly string[];
}

/** The policies of locations, cached as long as no settings file changes. */
export class LocationPolicies {
  readonly #options: LocationOptions;
  readonly #given = new Map<string, LocationPolicy>();
  readonly #read = new Map<string, { stamp: string; policy: LocationPolicy }>();

  constructor(options: LocationOptions) {
    this.#options = options;
  }

  /** `settings` are used in place of the settings files. */
  async at(location: ProjectLocation, settings: unknown): Promise<LocationPolicy> {
    if (settings !== undefined) {
      const key = JSON.stringify([settings, location, folderNames(location.cwd)]);
      const policy = this.#given.get(key) ?? givenPolicy(settings, location, this.#namesAt(location));
      keep(this.#given, key, policy);
      return policy;
    }
    const { cwd: root, home } = location;
    const reading = {
      ...this.#options.settings,
      root,
      ...(home !== undefined && { home }),
      ...this.#namesAt(location),
    };
    const found = findFiles(reading);
    const stamp = JSON.stringify([found.map((file) => [file.place.file, file.stamp]), trustStamp(reading)]);
    const key = JSON.stringify(location);
    const known = this.#read.get(key);
    if (known?.stamp === stamp) return known.policy;
    const policy = filePolicy((await readFrom(found, reading)).settings);
    keep(this.#read, key, { stamp, policy });
    return policy;
  }

  /** Rules of options, with their paths resolved for this location. */
  rulesAt(location: ProjectLocation, lists: RuleLists): readonly Rule[] {
    return parseRules(lists, {
      source: { file: 'the options of this run' },
      anchors: anchorsAt(location),
      tools: toolTable(),
      ...this.#namesAt(location),
    }).rules;
  }

  #namesAt({ cwd: root, home }: ProjectLocation): KnownNames {
    return { ...knownNames({ ...this.#options.settings, root, home }), knownTools: this.#options.knownTools };
  }
}

/** Removes the least recently used entry if there are too many. */
function keep<Value>(known: Map<string, Value>, key: string, value: Value): void {
  known.delete(key);
  known.set(key, value);
  if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value ?? '');
}

function filePolicy(settings: Awaited<ReturnType<typeof readFrom>>['settings']): LocationPolicy {
  const { rules, additionalDirectories, defaultMode, bypassDisabledBy, tools, webFetch, sandbox, problems } = settings;
  return {
    rules,
    folders: additionalDirectories.map(({ value }) => value),
    mode: defaultMode?.value,
    bypassDisabledBy: bypassDisabledBy?.file,
    off: new Map([...tools].flatMap(([name, { value, origin }]) => (value ? [] : [[name, placeOf(origin)]]))),
    localHosts: webFetch.localHosts,
    sandbox: configuredSandbox({
      enabled: sandbox.enabled?.value,
      failIfUnavailable: sandbox.failIfUnavailable?.value,
      autoAllowBashIfSandboxed: sandbox.autoAllowBashIfSandboxed?.value,
      mode: sandbox.mode?.value,
      excludedCommands: [...sandbox.excludedCommands],
      network: { allowedDomains: [...sandbox.allowedDomains] },
    }),
    problems,
  };
}

const notUnderstood = (what: string): LocationPolicy => {
  const message = `The settings are not understood: ${what}`;
  return { rules: [], folders: [], problems: [{ severity: 'fatal', file: 'settings', message }] };
};

function anchorsAt({ cwd, home }: ProjectLocation): Anchors {
  const project = folderNames(cwd);
  return { source: project, project, home: home === undefined ? [] : folderNames(home), realName };
}

/** Rules are checked one by one by parseRules: one bad rule must not take the others with it. */
const permissionsSchema = z.looseObject({
  allow: z.array(z.unknown()).optional(),
  ask: z.array(z.unknown()).optional(),
  deny: z.array(z.unknown()).optional(),
  additionalDirectories: z.array(z.string()).optional(), // relative ones start at the project
  defaultMode: z.enum(permissionModes).optional(),
});

/** The part of the settings of the sandbox that decisions depend on. */
const sandboxSchema = z.looseObject({
  enabled: z.boolean().optional(),
  failIfUnavailable: z.boolean().optional(),
  autoAllowBashIfSandboxed: z.boolean().optional(),
  mode: z.enum(sandboxModes).optional(),
  excludedCommands: z.array(z.string()).optional(),
  network: z.looseObject({ allowedDomains: z.array(z.string()).optional() }).optional(),
});

const LISTS = ['allow', 'ask', 'deny', 'additionalDirectories'] as const;

/** The policy of the settings of a request. Lists at the top level are used too, as in a file. */
function givenPolicy(settings: unknown, { cwd, home }: ProjectLocation, known: KnownNames): LocationPolicy {
  if (!isObject(settings)) return notUnderstood('they must be an object with "permissions".');
  const { permissions = {} } = settings;
  const parts = [permissions, Object.fromEntries(LISTS.map((name) => [name, settings[name]]))];
  const read = parts.map((part) => permissionsSchema.safeParse(part));
  const wrong = read.find(({ success }) => !success)?.error?.issues[0];
  if (wrong) return notUnderstood(`"${wrong.path.join('.') || 'permissions'}": ${wrong.message}.`);
  const sandbox = sandboxSchema.safeParse(settings['sandbox'] ?? {});
  const [issue] = sandbox.error?.issues ?? [];
  if (issue) return notUnderstood(`"${['sandbox', ...issue.path].join('.')}": ${issue.message}.`);
  const understood = read.map(({ data }) => data ?? {});
  const anchors = anchorsAt({ cwd, home });
  const tools = toolTable();
  const parsed = understood.map((lists) =>
    parseRules(lists, { source: { file: 'settings' }, anchors, tools, ...known }),
  );
  const [{ defaultMode, ...others } = {}] = understood;
  return {
    rules: parsed.flatMap(({ rules }) => rules),
    folders: understood
      .flatMap(({ additionalDirectories = [] }) => additionalDirectories)
      .map((folder) => resolveIn(cwd, folder, () => home)),
    mode: defaultMode === 'bypassPermissions' ? undefined : defaultMode, // a project can't set this mode
    bypassDisabledBy: others['disableBypassPermissionsMode'] === undefined ? undefined : 'the settings',
    sandbox: sandbox.data && configuredSandbox(sandbox.data),
    problems: parsed
      .flatMap(({ problems }) => problems)
      .map(({ severity, source, message }) => ({ severity, ...source, message })),
  };
}

/** Settings don't say whether the sandbox works on this machine. */
type ConfiguredSandbox = Omit<PolicySandbox, 'works'>;

function configuredSandbox({
  enabled,
  network,
  ...rest
}: z.output<typeof sandboxSchema>): ConfiguredSandbox | undefined {
  if (!enabled) return undefined;
  return {
    allows: rest.autoAllowBashIfSandboxed ?? false,
    excluded: rest.excludedCommands ?? [],
    network: network?.allowedDomains?.length ? 'hosts' : 'off',
    mode: rest.mode ?? 'workspace',
    required: rest.failIfUnavailable ?? false,
  };
}
