import { isDeepStrictEqual } from 'node:util';
import { readConfig } from '../../mcp/client/config.js';
import { dataFolderOf } from '../../platform/files/paths.js';
import { isObject } from '../../platform/is-object.js';
import { readJson } from '../../platform/parse-json.js';
import { visible } from '../../platform/text/visible.js';
import { editablePlace } from '../../settings/edit-file.js';
import { serverSchema } from '../../settings/setting-values.js';
import { approveItem } from '../../settings/trust.js';
import { readArgs, settingsOptions } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { editServer, readScope, type ServerScope } from './edit-servers.js';
import { type KnownServer, knownServers } from './known-servers.js';

const USAGE =
  'Use helve mcp add NAME [-e KEY=VALUE] -- COMMAND ARGS, or helve mcp add NAME URL [--header "Name: value"].';
const JSON_USAGE = 'Use helve mcp add-json NAME \'{"command": "…"}\', or with "type" and "url".';
const MAX_NAME = 32; // leaves space for the names of tools

const commonFlags = { scope: { type: 'string', short: 's' }, force: { type: 'boolean' } } as const;

/** Adds a server to the configuration: a command to run, or an address. */
export async function add(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readAddArgs(argv);
  const [name, target, ...rest] = positionals;
  if (name === undefined) throw new UsageProblem(`The server has no name. ${USAGE}`);
  if (target === undefined) throw new UsageProblem(`There is no command or address for the server "${name}". ${USAGE}`);
  const type = readTransport(values.transport, target);
  const entry =
    type === 'stdio' ? commandEntry([target, ...rest], values) : addressEntry(type, [target, ...rest], values);
  return await write(name, entry, values);
}

const addFlags = {
  ...commonFlags,
  transport: { type: 'string', short: 't' },
  env: { type: 'string', short: 'e', multiple: true },
  header: { type: 'string', short: 'H', multiple: true },
} as const;

/** An unknown option is most likely the command's. */
function readAddArgs(argv: readonly string[]) {
  try {
    return readArgs(argv, addFlags);
  } catch (error) {
    if (!(error instanceof UsageProblem) || argv.includes('--')) throw error;
    throw new UsageProblem(`${error.message} If it belongs to the server's command, write -- before the command.`);
  }
}

/** The same for a JSON entry. */
export async function addJson(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, commonFlags);
  const [name, json, ...more] = positionals;
  if (name === undefined || json === undefined || more.length > 0) throw new UsageProblem(JSON_USAGE);
  return await write(name, parsedEntry(json), values);
}

function parsedEntry(json: string): Record<string, unknown> {
  const { value: entry, problem } = readJson(json);
  if (problem !== undefined) throw new UsageProblem(`The entry is not valid JSON: ${problem}. ${JSON_USAGE}`);
  if (!isObject(entry)) throw new UsageProblem(`The entry must be a JSON object. ${JSON_USAGE}`);
  if (isObject(entry['mcpServers'])) {
    throw new UsageProblem(`The entry must be one server, without "mcpServers" around it. ${JSON_USAGE}`);
  }
  return entry;
}

type Transport = 'stdio' | 'http' | 'sse';

function readTransport(word: string | undefined, target: string): Transport {
  if (word === undefined) return isAddress(target) ? 'http' : 'stdio';
  if (word === 'stdio' || word === 'http' || word === 'sse') return word;
  throw new UsageProblem(`--transport takes stdio, http or sse, but was "${word}".`);
}

const isAddress = (word: string): boolean => /^https?:\/\//i.test(word);

interface EntryFlags {
  env?: string[] | undefined;
  header?: string[] | undefined;
}

function commandEntry([command = '', ...args]: readonly string[], { env = [], header = [] }: EntryFlags) {
  if (header.length > 0) throw new UsageProblem('--header is for servers with an address. For a command, use -e.');
  const variables = Object.fromEntries(env.map(readVariable));
  return { type: 'stdio', command, args, ...(env.length > 0 && { env: variables }) };
}

function addressEntry(type: Transport, [url = '', ...more]: readonly string[], { env = [], header = [] }: EntryFlags) {
  if (more.length > 0) throw new UsageProblem(`A server with an address takes one argument, but "${more[0]}" follows.`);
  if (env.length > 0) throw new UsageProblem('-e is for servers that are commands. For an address, use --header.');
  return { type, url, ...(header.length > 0 && { headers: Object.fromEntries(header.map(readHeader)) }) };
}

function readVariable(text: string): [string, string] {
  const [, name, value = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined) return [name, value];
  throw new UsageProblem(`-e takes KEY=VALUE, but was "${text.split('=', 1)[0] ?? ''}…".`); // the rest may be a secret
}

function readHeader(text: string): [string, string] {
  const [, name, value = ''] = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*([^\r\n\0]*)$/.exec(text) ?? [];
  if (name !== undefined) return [name, value];
  throw new UsageProblem(`--header takes "Name: value", but was "${text.split(':', 1)[0] ?? ''}…".`);
}

async function write(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  values: { scope?: string | undefined; force?: boolean | undefined },
): Promise<number> {
  const scope = readScope(values.scope) ?? 'local';
  refuseName(name);
  refuseEntry(name, entry);
  const { servers } = await knownServers({});
  const file = fileOf(scope);
  const there = servers.find((one) => one.name === name && one.scope === scope);
  if (there && values.force !== true) {
    throw new UsageProblem(
      `There is a server "${name}" in ${there.file} already. Use --force to replace it; to see it: helve mcp get ${name}.`,
    );
  }
  const isNew = await editServer(scope === 'project' ? '.mcp.json' : scope, name, entry);
  await writeLine(process.stdout, `${name} ${isNew ? 'was written to' : 'is already in'} ${file}.`);
  await approve(name, entry, scope);
  if (scope === 'project') await warnOfSecrets(entry);
  await warnOfOthers(name, scope, servers);
  return exitCode.ok;
}

const fileOf = (scope: ServerScope): string =>
  scope === 'project' ? '.mcp.json' : editablePlace(scope, settingsOptions()).file;

function refuseName(name: string): void {
  const isPlain = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(name);
  if (isPlain && name.length <= MAX_NAME) return;
  throw new UsageProblem(
    `A server can't be named "${visible(name)}": a name has 1 to ${MAX_NAME} letters, digits, "-" and single "_" between them.`,
  );
}

function refuseEntry(name: string, entry: Readonly<Record<string, unknown>>): void {
  const checked = serverSchema.safeParse(entry);
  if (!checked.success) {
    const words = checked.error.issues.map(({ path, message }) => [...path, message].join(' ')).join('; ');
    throw new UsageProblem(`The entry for "${name}" does not fit: ${words}. Nothing was written.`);
  }
  const read = readConfig({ name, entry, source: 'user' }, process.env);
  if ('problem' in read) throw new UsageProblem(`${read.problem} Nothing was written.`);
}

/** The user typed the entry, so it is trusted without a question. Other settings of the folder are not. */
async function approve(name: string, entry: Readonly<Record<string, unknown>>, scope: ServerScope): Promise<void> {
  if (scope === 'user') return;
  const { settings } = await knownServers({});
  const { pending, folder } = settings.trust;
  const item = pending.find(
    (one) => one.key === 'mcpServers' && one.name === name && isDeepStrictEqual(one.value, serverSchema.parse(entry)),
  );
  if (item) await approveItem(folder, item, { dataFolder: dataFolderOf(settingsOptions()) });
}

/** A project's file is shared with everyone who has the project. */
async function warnOfSecrets({ env, headers }: Readonly<Record<string, unknown>>): Promise<void> {
  const values = [env, headers].flatMap((map) => (isObject(map) ? Object.entries(map) : []));
  const names = values.filter(([, value]) => !String(value).includes('${')).map(([name]) => name);
  if (names.length === 0) return;
  const notice = `.mcp.json now contains the value of ${names.join(', ')}, and everyone who has the project can read it. If it is a secret, write \${VARIABLE} instead.`;
  await writeLine(process.stderr, `helve: ${visible(notice)}`);
}

async function warnOfOthers(name: string, scope: ServerScope, before: readonly KnownServer[]): Promise<void> {
  const order = ['managed', 'flag', 'local', 'project', 'user'];
  const stronger = before.find((one) => one.name === name && order.indexOf(one.scope) < order.indexOf(scope));
  if (!stronger) return;
  await writeLine(process.stderr, `helve: ${stronger.file} has a server "${name}" too, and comes first.`);
}
