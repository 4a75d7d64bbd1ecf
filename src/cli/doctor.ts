import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withoutSecrets } from '../compose/visible-environment.js';
import { type Model, ModelFailure } from '../contract/model.js';
import type { ServerState } from '../mcp/client/client.js';
import { type Access, accessTo, type Provider, unusualHost } from '../models/catalogue/catalogue.js';
import { loadCatalogue } from '../models/catalogue/load-catalogue.js';
import { findLocalServers, localPlaces } from '../models/catalogue/local-servers.js';
import { signedInCatalogue } from '../models/catalogue/stored-access.js';
import { withStoredKeys } from '../models/catalogue/stored-keys.js';
import { describeCredentials } from '../models/clouds/describe-credentials.js';
import { randomHex } from '../platform/crypto.js';
import { codeOf } from '../platform/error-code.js';
import { dataFolderOf, homeFolder } from '../platform/files/paths.js';
import { asWriteFailure } from '../platform/files/write-failure.js';
import { messageOf } from '../platform/message-of.js';
import { counted } from '../platform/text/counted.js';
import { grouped } from '../platform/text/digits.js';
import { jsonText } from '../platform/text/json-line.js';
import { visible } from '../platform/text/visible.js';
import { environmentWith } from '../settings/environment.js';
import { readArgs } from './args.js';
import { dataFolderProblem, findDataFolderProblem, isEntry } from './data-folder-problem.js';
import { exitCode } from './exit-codes.js';
import { HELPER_PROVIDER } from './key-helper.js';
import { offerOf } from './models.js';
import { namedModel } from './named-model.js';
import { withKeyHelper } from './run-models.js';
import { UsageProblem } from './usage-problem.js';
import { wrapped, writeLine } from './write-line.js';

export interface DoctorFinding {
  what: string;
  /** `warning`: it works, but something needs attention. */
  state: 'ok' | 'warning' | 'missing' | 'broken';
  /** What was found, or what is wrong and how to fix it. */
  detail: string;
}

const TRIED_BYTES = 256 * 1024; // a few turns of a session

const marks = { ok: '✓', warning: '!', missing: '–', broken: '✗' } as const;

/** Checks what Helve needs on this machine. Exits with 1 if something is broken, not if it is merely missing. */
export async function doctor(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, {
    json: { type: 'boolean' },
    database: { type: 'string' },
    'key-file': { type: 'string' },
  });
  if (positionals.length > 0) throw new UsageProblem(`helve doctor takes no argument such as "${positionals[0]}".`);
  const { database, 'key-file': keyFile } = values;
  if (database === undefined && keyFile !== undefined)
    throw new UsageProblem('--key-file is of a fleet. Name its database with --database URL.');
  const findings =
    database === undefined
      ? await findSetup()
      : await (await import('./doctor/check-database.js')).checkDatabase(database, keyFile);
  if (values.json) await writeLine(process.stdout, jsonText(findings));
  else
    for (const { what, state, detail } of findings)
      await writeLine(process.stdout, wrapped(`${marks[state]} ${what}: ${detail}`, process.stdout));
  return findings.some(({ state }) => state === 'broken') ? exitCode.failed : exitCode.ok;
}

export async function findSetup(): Promise<DoctorFinding[]> {
  const found = await Promise.all([
    node(),
    describeSystem(process),
    settings(),
    shell(),
    limits(),
    walls(),
    sandbox(),
    search(),
    model(),
    signIns(),
    dataFolder(),
    localServers(),
    mcpServers(),
    agents(),
  ]);
  return found.flat();
}

async function node(): Promise<DoctorFinding> {
  return { what: 'Node', state: 'ok', detail: process.versions.node };
}

/** What is tested where: docs/platforms.md says the same in full. */
export function describeSystem({ platform, arch }: { platform: string; arch: string }): DoctorFinding {
  const what = 'System';
  const name = `${platform} ${arch}`;
  if (platform === 'linux' && arch === 'x64') {
    return { what, state: 'ok', detail: `${name}: Helve is developed and tested on such systems` };
  }
  if (platform === 'linux' || platform === 'darwin') {
    return { what, state: 'warning', detail: `${name}: not tested. docs/platforms.md says what is known about it` };
  }
  const wsl = platform === 'win32' ? ' Use WSL 2.' : '';
  return { what, state: 'broken', detail: `${name}: commands can't run here, and nothing was tested.${wsl}` };
}

async function settings(): Promise<DoctorFinding> {
  const { readSettings } = await import('../settings/load.js');
  const { knownNames } = await import('../agent/known-names.js');
  const place = { root: process.cwd(), env: process.env };
  const { files, problems } = await readSettings({ ...place, ...knownNames(place), checkMatchers: true });
  const [first] = problems.filter(({ severity }) => severity === 'fatal');
  if (first) return { what: 'Settings', state: 'broken', detail: first.message };
  const found = files.length === 0 ? 'no files' : files.map(({ file }) => file).join(', ');
  if (problems.length === 0) return { what: 'Settings', state: 'ok', detail: found };
  const count = counted(problems.length, 'thing');
  return { what: 'Settings', state: 'warning', detail: `${found}; ${count} to look at, see helve config list` };
}

async function shell(): Promise<DoctorFinding> {
  const version = await firstLineOf('bash', ['--version']);
  if (version !== undefined) return { what: 'Shell', state: 'ok', detail: version };
  return { what: 'Shell', state: 'broken', detail: "bash was not found, so the Bash tool can't run. Install bash." };
}

async function limits(): Promise<DoctorFinding> {
  const { describeLimits } = await import('../platform/shell/limits.js');
  try {
    return { what: 'Limits', state: 'ok', detail: describeLimits(process.env) };
  } catch (error) {
    return { what: 'Limits', state: 'broken', detail: messageOf(error) };
  }
}

async function walls(): Promise<DoctorFinding> {
  const what = 'Unasked commands';
  const { chooseConfiner } = await import('../platform/sandbox/confiner.js');
  const found = await chooseConfiner({ env: process.env, workspace: [process.cwd()] });
  if (found.confiner) {
    return {
      what,
      state: 'ok',
      detail: 'confined where they run without a question: read-only, without network',
    };
  }
  return { what, state: 'missing', detail: `not confined: ${found.why} Fewer commands run without a question.` };
}

async function sandbox(): Promise<DoctorFinding> {
  const { chooseSandbox, describeSandbox } = await import('../platform/sandbox/choose.js');
  const { withoutConsequence } = await import('../platform/sandbox/why-unavailable.js');
  const { readSettings } = await import('../settings/load.js');
  const found = await chooseSandbox({ env: process.env, workspace: [process.cwd()] });
  const finding = describeSandbox(found);
  const { sandbox } = await readSettings({ root: process.cwd(), env: process.env });
  if (found.kind !== 'none') {
    const approved = sandbox.enabled?.value ? 'confined' : 'not confined, since "sandbox.enabled" is not set';
    return { ...finding, detail: `${found.why}; approved commands are ${approved}` };
  }
  if (!sandbox.enabled?.value) return finding;
  if (!sandbox.failIfUnavailable?.value) return { ...finding, detail: `turned on by settings, but ${found.why}` };
  const detail = `demanded by settings ("sandbox.failIfUnavailable"), so commands are refused: ${withoutConsequence(found.why)}`;
  return { ...finding, state: 'broken', detail };
}

async function search(): Promise<DoctorFinding> {
  const { findRipgrep } = await import('../platform/search/find-ripgrep.js');
  try {
    const path = findRipgrep(process.env);
    const version = await firstLineOf(path, ['--version']);
    if (version !== undefined) return { what: 'Search', state: 'ok', detail: `${version}, ${path}` };
    return { what: 'Search', state: 'missing', detail: `${path} does not run. Reinstall helve or ripgrep.` };
  } catch (error) {
    return { what: 'Search', state: 'missing', detail: messageOf(error) };
  }
}

async function model(): Promise<DoctorFinding> {
  const what = 'Model';
  const { readSettings } = await import('../settings/load.js');
  const settings = await readSettings({ root: process.cwd(), env: process.env });
  const env = environmentWith(settings, process.env);
  const named = namedModel(settings, env);
  try {
    const helper = settings.apiKeyHelper?.value;
    const choose = await withKeyHelper(helper, env);
    const model = await choose(named?.name, {});
    model.check?.();
    const provider = signedInCatalogue(env, await loadCatalogue(env)).providers.get(model.provider);
    const access = provider && accessTo(provider, provider.isSignedIn ? env : withStoredKeys(env));
    const inCloud = provider?.cloud && (await describeCredentials(provider, withStoredKeys(env)));
    const isStored = access?.keyVariable !== undefined && !env[access.keyVariable]?.trim();
    const host = access && unusualHost(provider, access); // the rest of an address may contain a secret
    const detail = [
      `${model.provider}/${model.name}`,
      host && `at ${host}`,
      inCloud ??
        (access && keyWords(access, isStored, provider, model.provider === HELPER_PROVIDER && helper !== undefined)),
      limitsOf(model),
      'not asked',
      named && `named by ${named.from}`,
    ];
    return { what, state: 'ok', detail: detail.filter(Boolean).join(', ') };
  } catch (error) {
    const isMissing = error instanceof ModelFailure && error.kind === 'auth';
    const detail = `${messageOf(error)}${named ? ` The model is named by ${named.from}.` : ''}`;
    return { what, state: isMissing ? 'missing' : 'broken', detail };
  }
}

/** The sign-ins to providers. Having none is not reported. No request is sent. */
async function signIns(): Promise<DoctorFinding[]> {
  const { storedSignIns } = await import('../models/sign-in/sign-in-file.js');
  const { loginTitles } = await import('../models/sign-in/login-names.js');
  return storedSignIns(process.env).map(({ provider, signIn, problem }): DoctorFinding => {
    const what = `Sign-in to ${loginTitles[provider]}`;
    if (problem !== undefined) {
      return { what, state: 'broken', detail: visible(`${problem} Run helve login ${provider}.`) };
    }
    const count = signIn?.models?.list.length;
    const facts = [
      signIn?.account === undefined ? 'signed in' : `signed in as ${signIn.account}`,
      count !== undefined && counted(count, 'model'),
      'not asked',
    ];
    return { what, state: 'ok', detail: visible(facts.filter(Boolean).join(', ')) };
  });
}

/** Helve asks the environment and its own file for a key before the command of the setting. */
function keyWords(
  { keyVariable: variable, bySignIn }: Access,
  isStored: boolean,
  { keyCommand, isSignedIn }: Provider,
  hasHelper: boolean,
): string {
  if (variable !== undefined) {
    return `key from ${isStored ? 'keys.json' : variable}${isSignedIn ? ', which comes before the sign-in' : ''}`;
  }
  if (bySignIn) return 'by your sign-in';
  if (keyCommand !== undefined) return 'key from the command "keyCommand", which was not run';
  return hasHelper ? 'key from the command of "apiKeyHelper", which was not run' : 'no key';
}

function limitsOf({ facts, maxOutputTokens }: Model): string {
  const context = facts?.contextTokens;
  if (context === undefined) return 'limits unknown';
  return `${grouped(context)} tokens of context, ${grouped(maxOutputTokens)} for an answer`;
}

/** Local model servers. Having none is not reported, since none is needed; a broken file is reported with the model. */
async function localServers(): Promise<DoctorFinding[]> {
  const catalogue = await loadCatalogue(process.env).catch(() => undefined);
  const servers = catalogue ? await findLocalServers(localPlaces(catalogue, process.env)) : [];
  return servers.map((server) => ({ what: 'On this machine', state: 'ok', detail: offerOf(server) }));
}

/** Each configured MCP server. Servers of an untrusted folder are named, but not started. */
async function mcpServers(): Promise<DoctorFinding[]> {
  const { watchSettings } = await import('../settings/watch.js');
  const settings = await watchSettings({ root: process.cwd(), env: process.env }).catch(() => undefined);
  if (!settings) return []; // broken settings are reported separately
  const untouched = settings.current.entries
    .filter(({ key, ignored }) => key === 'mcpServers' && ignored !== undefined)
    .map(({ name, ignored, origin }) => ({
      what: `MCP server ${visible(name ?? '')}`,
      state: 'missing' as const,
      detail: `not started: ${ignored} (${origin.file})`,
    }));
  if (settings.current.mcpServers.size === 0) return untouched;
  const { createEngine } = await import('../compose/create-engine.js');
  const { environmentWith } = await import('../settings/environment.js');
  const engine = createEngine({ settings, env: environmentWith(settings.current, process.env), audit: false });
  await engine.servers.settled();
  const states = engine.servers.states();
  const idle = engine.servers.idleRules().map((detail): DoctorFinding => ({ what: 'Rules', state: 'missing', detail }));
  await engine.end();
  return [...states.map(serverFinding), ...untouched, ...idle];
}

function serverFinding({ name, status, detail, tools, setAside, changes, errorOutput }: ServerState): DoctorFinding {
  const what = `MCP server ${visible(name)}`;
  if (status === 'disabled') return { what, state: 'missing', detail: detail ?? 'switched off' };
  if (status !== 'connected') {
    const said = errorOutput.trim().split('\n').slice(-5).join(' | ');
    return { what, state: 'broken', detail: visible(`${detail ?? status}${said === '' ? '' : ` It wrote: ${said}`}`) };
  }
  const problems = setAside.map(({ tool, why }) => `; ${tool} is not used: ${why}`).join('');
  const held = [
    ...(changes.length > 0 ? [`${counted(changes.length, 'change')} held back: helve mcp approve ${name}`] : []),
    ...(detail === undefined ? [] : [detail]),
  ];
  const facts = [`connected, ${counted(tools, 'tool')}${problems}`, ...held].join('; ');
  return { what, state: held.length === 0 ? 'ok' : 'warning', detail: visible(facts) };
}

/** Custom agent types, and problems in their files. Having none is not reported. */
async function agents(): Promise<DoctorFinding[]> {
  const { readSettings } = await import('../settings/load.js');
  const { findAgents } = await import('./find-agents.js');
  const settings = await readSettings({ root: process.cwd(), env: process.env });
  const isTrusted = settings.trust.state === 'trusted';
  const places = { home: homeFolder(), dataFolder: dataFolderOf(), env: environmentWith(settings, process.env) };
  return await findAgents({ root: process.cwd(), isTrusted, ...places });
}

async function dataFolder(): Promise<DoctorFinding> {
  const what = 'Data folder';
  const folder = dataFolderOf();
  const broken = (detail: string): DoctorFinding => ({ what, state: 'broken', detail: visible(detail) });
  const problem = await findDataFolderProblem(folder);
  if (problem !== undefined) return broken(problem);
  try {
    if (isEntry(folder)) await tryToWrite(folder);
    return { what, state: 'ok', detail: folder };
  } catch (error) {
    const isFull = codeOf(error) === 'ENOSPC';
    const reason = messageOf(await asWriteFailure(error, join(folder, 'session'), 'written'));
    const why = isFull && reason.includes('inodes') ? 'the file system has no free inodes' : undefined;
    return broken(dataFolderProblem(error, folder, why) ?? `The data folder ${folder} can't be written: ${reason}`);
  }
}

/** Only writing detects a full disk, or one without free inodes. */
async function tryToWrite(folder: string): Promise<void> {
  const path = join(folder, `doctor.${randomHex(6)}`);
  try {
    await writeFile(path, Buffer.alloc(TRIED_BYTES), { flag: 'wx', mode: 0o600, flush: true });
  } finally {
    await rm(path, { force: true });
  }
}

export async function firstLineOf(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    // Not in the project: nothing from it may run without a request.
    const env = withoutSecrets(process.env);
    const { stdout } = await promisify(execFile)(command, args, { cwd: homeFolder() ?? '/', env });
    return stdout.split('\n', 1)[0];
  } catch {
    return undefined;
  }
}
