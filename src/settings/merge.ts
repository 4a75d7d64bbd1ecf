// Merges all files into the effective settings. Single values go by precedence: managed, --settings, local, project,
// user. Lists are merged. A stricter value applies from any source; a project's more permissive value only once the
// project is trusted.
import { isFolder } from '../platform/files/lenient-reads.js';
import { dataFolderOf, homeFolder, resolveIn } from '../platform/files/paths.js';
import { refusedVariable } from './environment.js';
import { keyActionNames } from './key-actions.js';
import { type OptionalSource, optionalSources, type SettingsPlace } from './locations.js';
import { type ReadSettingsOptions, readFiles, type SourceFile, type UnderstoodContribution } from './read-files.js';
import { type SettingName, type SettingValue, settings } from './schema.js';
import type { SettingEntry, Settings, Sourced } from './settings.js';
import { placeOf, problemAt, type SettingsProblem } from './settings-problem.js';
import { hashOf, trustState } from './trust.js';

export interface MergeOptions {
  root: string;
  env?: Readonly<Record<string, string | undefined>>;
  home?: string;
  /** `--trust`. */
  trust?: boolean;
  /** `--setting-sources`: of the other files of the person and the project, only restrictions apply. Default: all. */
  sources?: readonly OptionalSource[] | undefined;
}

/** A statement, and why it does not apply, if it does not. */
interface Statement extends UnderstoodContribution {
  ignored?: string;
  /** It would apply if the folder were trusted. */
  isUntrusted?: true;
}

/** Merges the files, the highest precedence first. */
export function readAndMerge(
  places: readonly SettingsPlace[],
  options: MergeOptions & ReadSettingsOptions,
  before: readonly SourceFile[],
): { settings: Settings; sources: readonly SourceFile[] } {
  const sources = readFiles(places, options, before);
  return { settings: mergeSettings(sources, options), sources };
}

function mergeSettings(files: readonly SourceFile[], options: MergeOptions): Settings {
  const { home = homeFolder() } = options;
  const said = files.flatMap(({ contributions, isFromBefore = false }) =>
    contributions.map((contribution) => ({ ...contribution, isFromBefore })),
  );
  const covered = said.filter((one) => isOfProject(one) && loosens(one) && leftOut(one, options.sources) === undefined);
  const { problem, ...trust } = trustState(options.root, covered.map(itemOf), {
    dataFolder: dataFolderOf({ ...(options.env && { env: options.env }), ...(home !== undefined && { home }) }),
    trust: options.trust,
    home,
    trustedFolders: said.flatMap(({ key, value }) => (key === 'trustedFolders' ? [String(value)] : [])),
  });
  const pending = new Set(trust.pending.map(hashOf));
  const problems: SettingsProblem[] = files.flatMap((file) => file.problems);
  if (problem !== undefined) problems.push({ severity: 'warning', file: 'trust.json', message: problem });

  const limits = limitsOf(said);
  const statements = withOverridden(
    said.map((one): Statement => {
      const { isFromBefore, ...statement } = one;
      if (isFromBefore && loosens(one)) return { ...statement, ignored: 'its file is broken now' };
      const ignored = flawOf(one, { ...options, home }) ?? limits(one) ?? leftOut(one, options.sources);
      if (ignored !== undefined) return { ...statement, ignored };
      if (!isOfProject(one) || !loosens(one) || !pending.has(hashOf(itemOf(one)))) return statement;
      return { ...statement, ignored: 'this folder is not trusted with it', isUntrusted: true };
    }),
  );
  for (const one of said) {
    const why = flawOf(one, { ...options, home });
    const label = one.name === undefined ? one.key : `${one.key}.${one.name}`;
    if (why !== undefined)
      problems.push(problemAt(one.origin, 'dropped', `"${label}" is left out: ${why}. Remove it.`));
  }
  return {
    ...collect(statements, { ...options, home }),
    trust,
    problems,
    entries: statements.map(entryOf),
    files: files.map(({ place: { kind, file, path } }) => ({ kind, file, ...(path !== undefined && { path }) })),
  };
}

/** Why a statement does not apply if its source was not asked for. Restrictions always apply. */
function leftOut(
  { key, value, origin: { kind } }: UnderstoodContribution,
  sources: MergeOptions['sources'],
): string | undefined {
  if (!sources || !optionalSources.some((source) => source === kind && !sources.includes(source))) return undefined;
  const isRestriction =
    restrictions.has(key) ||
    (key === 'tools' && value === false) ||
    (key.startsWith('sandbox.') && !(settings[key].loosens?.(value) ?? false));
  return isRestriction ? undefined : `--setting-sources leaves out the ${kind} settings`;
}

const restrictions: ReadonlySet<SettingName> = new Set([
  'permissions.deny',
  'permissions.ask',
  'permissions.disableBypassPermissionsMode',
  'disabledMcpjsonServers',
]);

const isOfProject = ({ origin: { kind } }: UnderstoodContribution): boolean => kind === 'project' || kind === 'local';

const loosens = ({ key, value }: UnderstoodContribution): boolean => settings[key].loosens?.(value) ?? false;

const itemOf = ({ key, name, value, origin: { file, line } }: UnderstoodContribution) => ({
  key,
  name,
  value,
  file,
  ...(line !== undefined && { line }),
});

const entryOf = ({ key, name, value, origin, ignored }: Statement): SettingEntry => ({
  key,
  ...(name !== undefined && { name }),
  value,
  origin,
  ...(ignored !== undefined && { ignored }),
});

/** Settings that decide whether other settings apply. */
function limitsOf(said: readonly UnderstoodContribution[]): (one: UnderstoodContribution) => string | undefined {
  const isOn = (key: SettingName): boolean => said.some((one) => one.key === key && one.value === true);
  const managedOnly = new Map<SettingName, boolean>([
    ['permissions.allow', isOn('allowManagedPermissionRulesOnly')],
    ['hooks', isOn('allowManagedHooksOnly')],
    ['mcpServers', isOn('allowManagedMcpServersOnly')],
  ]);
  const bypassOff = said.find(({ key }) => key === 'permissions.disableBypassPermissionsMode');
  const off = said.filter(({ key }) => key === 'disableAllHooks');
  const offByProject = off.find(isOfProject)?.value === true;
  const byPerson = off.find((one) => !isOfProject(one));
  const disabled = new Set(said.flatMap(({ key, value }) => (key === 'disabledMcpjsonServers' ? [value] : [])));

  return ({ key, name, value, origin }) => {
    const { kind, file } = origin;
    if (kind !== 'managed' && managedOnly.get(key)) return 'only managed settings count here';
    if (key === 'hooks') {
      const isProject = kind === 'project' || kind === 'local';
      const isOff = byPerson?.value === true && (kind !== 'managed' || byPerson.origin.kind === 'managed');
      if (isOff || (isProject && offByProject)) return 'hooks are switched off by "disableAllHooks"';
    }
    if (key === 'mcpServers' && file === '.mcp.json' && disabled.has(name)) {
      return 'it is switched off by "disabledMcpjsonServers"';
    }
    if (key === 'permissions.defaultMode' && value === 'bypassPermissions' && bypassOff) {
      return `${placeOf(bypassOff.origin)} has switched that mode off`;
    }
    return undefined;
  };
}

/** Why a valid statement has no effect on this machine. */
function flawOf(
  { key, name = '', value, origin }: UnderstoodContribution,
  { root, home }: { root: string; home: string | undefined },
): string | undefined {
  if (key === 'env') return refusedVariable(name, value, origin.kind);
  if (key !== 'permissions.additionalDirectories') return undefined;
  const folder = resolveIn(root, String(value), () => home);
  return isFolder(folder) ? undefined : `there is no folder ${folder}`;
}

/** Of single values and of entries with the same name, one applies. */
function withOverridden(statements: readonly Statement[]): Statement[] {
  const winners = new Map<string, Statement>();
  for (const statement of statements) {
    const { key, ignored, value } = statement;
    const { shape, strictest } = settings[key];
    if (ignored !== undefined || shape === 'list' || shape === 'hooks') continue;
    const slot = slotOf(statement);
    const winner = winners.get(slot);
    const isStricter = strictest !== undefined && value === strictest && winner?.value !== strictest;
    const isBetter = winner?.isBroken === true && strictnessOf(statement) > strictnessOf(winner);
    if (!winner || isStricter || isBetter) winners.set(slot, statement);
  }
  for (const statement of statements) {
    const { value = 'default' } = winners.get(slotOf(statement)) ?? {};
    const isStricter = strictnessOf(statement) > strictnessOf({ ...statement, value });
    if (statement.isUntrusted && isStricter) winners.set(slotOf(statement), statement);
  }
  return statements.map((statement) => {
    const winner = winners.get(slotOf(statement));
    if (winner === statement) return counting(statement);
    if (!winner || statement.ignored !== undefined) return statement;
    return { ...statement, ignored: `${placeOf(winner.origin)} says otherwise and comes first` };
  });
}

const counting = ({ ignored: _, isUntrusted: __, ...statement }: Statement): Statement => statement;

/** How strict a value is among those of its setting, if they have an order. */
const strictnessOf = ({ key, value }: Pick<Statement, 'key' | 'value'>): number =>
  settings[key].order?.indexOf(String(value)) ?? Number.NaN;

function slotOf(statement: Statement): string {
  const { key, name } = statement;
  if (key === 'disableAllHooks') return `${key}\0${isOfProject(statement)}`; // each is about hooks of its own
  return name === undefined ? key : `${key}\0${name}`;
}

type NamedSetting = 'env' | 'mcpServers' | 'tools' | 'agentModels' | 'enabledPlugins' | 'extraKnownMarketplaces';

type Collected = Omit<Settings, 'trust' | 'problems' | 'entries' | 'files'>;

function collect(
  statements: readonly Statement[],
  { root, home }: { root: string; home: string | undefined },
): Collected {
  const counted = statements.filter(({ ignored }) => ignored === undefined);
  const all = <Name extends SettingName>(name: Name): Array<Sourced<SettingValue<Name>>> =>
    counted
      .filter(({ key }) => key === name)
      // A statement with this key has passed this key's schema.
      .map(({ value, origin }) => ({ value: value as SettingValue<Name>, origin }));
  const one = <Name extends SettingName>(name: Name): Sourced<SettingValue<Name>> | undefined => all(name)[0];
  const values = <Name extends SettingName>(name: Name): Array<SettingValue<Name>> => [
    ...new Set(all(name).map(({ value }) => value)),
  ];
  const inRoot = (path: string): string => resolveIn(root, path, () => home);
  const named = <Name extends NamedSetting>(wanted: Name): Map<string, Sourced<SettingValue<Name>>> =>
    new Map(
      counted.flatMap(({ key, name, value, origin }) =>
        key === wanted && name !== undefined ? [[name, { value: value as SettingValue<Name>, origin }] as const] : [],
      ),
    );
  return {
    rules: statements.flatMap(({ rule, ignored, isUntrusted }) =>
      rule && (ignored === undefined || isUntrusted) ? [{ ...rule, trusted: !isUntrusted }] : [],
    ),
    additionalDirectories: all('permissions.additionalDirectories').map(({ value, origin }) => ({
      value: inRoot(value),
      origin,
    })),
    ...given('defaultMode', one('permissions.defaultMode')),
    ...given('bypassDisabledBy', one('permissions.disableBypassPermissionsMode')?.origin),
    hooks: statements.flatMap(hookOf),
    mcpServers: named('mcpServers'),
    tools: named('tools'),
    mcp: { ...given('startWaitMs', one('mcp.startWaitMs')), ...given('taskWaitMs', one('mcp.taskWaitMs')) },
    ...given('toolSearch', one('toolSearch')),
    env: named('env'),
    ...given('model', one('model')),
    ...given('smallModel', one('smallModel')),
    ...given('fallbackModel', one('fallbackModel')),
    agentModels: named('agentModels'),
    agents: {
      ...given('maxTurns', one('agents.maxTurns')),
      ...given('maxTokens', one('agents.maxTokens')),
      ...given('maxCostUsd', one('agents.maxCostUsd')),
    },
    budget: {
      ...given('run', one('budget.run')),
      ...given('session', one('budget.session')),
      ...given('day', one('budget.day')),
    },
    bash: {
      ...given('maxBackground', one('bash.maxBackground')),
      ...given('maxSessionOutput', one('bash.maxSessionOutput')),
    },
    worktree: {
      ...given('setup', one('worktree.setup')),
      ...given('setupTimeoutMs', one('worktree.setupTimeoutMs')),
      ...given('end', one('worktree.end')),
    },
    ...given('maxRunMinutes', one('maxRunMinutes')),
    ...given('answerMinutes', one('background.answerMinutes')),
    ...given('effort', one('effort')),
    ...given('toolProfile', one('toolProfile')),
    ...given('apiKeyHelper', one('apiKeyHelper')),
    ...given('statusLine', one('statusLine')),
    ...given('instructions', one('instructions')),
    ...given('outputStyle', one('outputStyle')),
    ...given('theme', one('theme')),
    ...given('notifications', one('notifications')),
    ...given('editorMode', one('editorMode')),
    keys: new Map(
      keyActionNames.flatMap((action) => {
        const keys = one(`keys.${action}`);
        return keys ? [[action, keys] as const] : [];
      }),
    ),
    ...given('includeCoAuthoredBy', one('includeCoAuthoredBy')),
    enabledPlugins: named('enabledPlugins'),
    extraKnownMarketplaces: named('extraKnownMarketplaces'),
    ...given('strictKnownMarketplaces', one('strictKnownMarketplaces')),
    ...given('blockedMarketplaces', one('blockedMarketplaces')),
    ...given('cleanupPeriodDays', one('cleanupPeriodDays')),
    webFetch: { localHosts: values('webFetch.localHosts') },
    ...given('webSearch', one('webSearch')),
    sandbox: {
      ...given('enabled', one('sandbox.enabled')),
      ...given('failIfUnavailable', one('sandbox.failIfUnavailable')),
      ...given('mode', one('sandbox.mode')),
      ...given('autoAllowBashIfSandboxed', one('sandbox.autoAllowBashIfSandboxed')),
      ...given('allowUnsandboxedCommands', one('sandbox.allowUnsandboxedCommands')),
      excludedCommands: values('sandbox.excludedCommands'),
      allowedDomains: values('sandbox.network.allowedDomains'),
      deniedDomains: values('sandbox.network.deniedDomains'),
      allowWrite: values('sandbox.filesystem.allowWrite').map(inRoot),
      denyWrite: values('sandbox.filesystem.denyWrite').map(inRoot),
      denyRead: values('sandbox.filesystem.denyRead').map(inRoot),
      allowRead: values('sandbox.filesystem.allowRead').map(inRoot),
    },
  };
}

function hookOf({ key, value, origin, ignored, isUntrusted }: Statement): Settings['hooks'] {
  if (key !== 'hooks' || (ignored !== undefined && !isUntrusted)) return [];
  // The check of this key built it from what the hook parser returned.
  const hook = value as Pick<Settings['hooks'][number], 'event' | 'matcher' | 'hook'>;
  return [{ ...hook, source: placeOf({ ...origin, column: undefined }), trusted: !isUntrusted }];
}

const given = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  // The compiler types a computed name as any string; here it is exactly this one.
  (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Value };
