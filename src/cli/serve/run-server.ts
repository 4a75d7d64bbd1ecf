// Starts the gateway, and ends it in order.
import { readFileSync } from 'node:fs';
import { HELVE_PROTOCOL } from '../../acp/helve-methods.js';
import { packageFolder } from '../../platform/files/package-folder.js';
import { dataFolderOf } from '../../platform/files/paths.js';
import { makePrivateFolder } from '../../platform/files/private-files.js';
import { messageOf } from '../../platform/message-of.js';
import { openBrowser } from '../../platform/open-browser.js';
import { visible } from '../../platform/text/visible.js';
import { AccessFile } from '../../serve/access-file.js';
import { type Gateway, isLoopback, ListenProblem, startGateway } from '../../serve/gateway.js';
import { webFiles } from '../../serve/web-files.js';
import { conversationFlags, readArgs } from '../args.js';
import { sessionArgv } from '../background/session-argv.js';
import { exitCode } from '../exit-codes.js';
import { LimitedLines } from '../limited-lines.js';
import { onSignals } from '../signals.js';
import { UsageProblem } from '../usage-problem.js';
import { databaseFlags } from '../worker.js';
import { writeLine } from '../write-line.js';
import { clientAddress } from './client-address.js';
import { endHost } from './end-host.js';
import { hostBackEnd } from './host-back-end.js';

const DEFAULT_PORT = 7433;
const REQUESTS_MS = 5_000; // for requests that are open when the server ends
const MAX_DRAIN_SECONDS = 24 * 3_600;

const flags = {
  ...conversationFlags,
  port: { type: 'string' },
  listen: { type: 'string' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  'behind-proxy': { type: 'boolean' },
  'allowed-host': { type: 'string', multiple: true },
  open: { type: 'boolean' },
  drain: { type: 'string' },
  ...databaseFlags,
  fleet: { type: 'boolean' },
} as const;

export async function runServer(argv: readonly string[], version: string): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  if (positionals[0] !== undefined)
    throw new UsageProblem(`helve serve takes no argument such as "${positionals[0]}".`);
  const address = values.listen ?? '127.0.0.1';
  const tls = readTls(values);
  const isBehindProxy = values['behind-proxy'] === true;
  const allowedHosts = values['allowed-host'] ?? [];
  checkExposure({ address, tls, isBehindProxy, allowedHosts });
  const drainSeconds = values.drain === undefined ? undefined : readSeconds(values.drain);
  const argvOfSessions = sessionArgv(values);
  if ((values.database !== undefined || values.fleet) && argvOfSessions.length > 0) {
    throw new UsageProblem(
      `Sessions of a fleet have the options of their workers, so ${argvOfSessions[0]} has no effect here. Start helve worker with it.`,
    );
  }
  const dataFolder = dataFolderOf();
  const tell = toStderr();
  makePrivateFolder(dataFolder);
  const access = new AccessFile(dataFolder);
  access.list(); // a damaged file is told now, and not to the first client
  const fleet =
    values.database === undefined && !values.fleet
      ? undefined
      : await (await import('./fleet-back-end.js')).fleetBackEnd({ values, version, tell });
  const backEnd = fleet ?? hostBackEnd({ dataFolder, version, argv: argvOfSessions, folder: process.cwd(), tell });
  const signals = onSignals(() => {});
  try {
    const gateway = await startGateway({
      address,
      port: readPort(values.port),
      tls,
      isBehindProxy,
      allowedHosts,
      access,
      backEnd,
      webFiles: () => webFiles(packageFolder('dist/web')),
      version,
      protocol: HELVE_PROTOCOL,
      onProblem: tell,
    }).catch((error: unknown) => {
      throw error instanceof ListenProblem ? new UsageProblem(error.message) : error;
    });
    const link = clientAddress({ url: gateway.url, isBehindProxy, allowedHosts });
    await greet(gateway, access, { opens: values.open === true, link, tell });
    await aborted(signals.signal);
    await gateway.drain(drainSeconds === undefined ? GOES_ON : ENDS_TOO, REQUESTS_MS);
    if (drainSeconds !== undefined && !fleet) await endHost({ dataFolder, limitMs: drainSeconds * 1_000, tell });
    return signals.exitCode ?? exitCode.ok;
  } finally {
    signals.dispose();
    await fleet?.close();
  }
}

const GOES_ON = 'The server is ending. Sessions go on; connect again when it is back.';
const ENDS_TOO = 'The server is ending, and sessions with it when they have finished. Connect again when it is back.';

interface GreetOptions {
  opens: boolean;
  /** Where a browser reaches the server. */
  link: string;
  tell(sentence: string): void;
}

async function greet(gateway: Gateway, access: AccessFile, { opens, link, tell }: GreetOptions): Promise<void> {
  await writeLine(process.stdout, `url: ${gateway.url}`);
  if (process.stdout.isTTY) {
    const code = await access.addCode('run').catch((error: unknown) => {
      tell(`No one-time code could be stored, so sign in with a token. ${messageOf(error)}`);
    });
    if (code !== undefined) {
      await writeLine(process.stdout, `code: ${code} (signs one browser in, within five minutes)`);
      await writeLine(process.stdout, `      ${link}/#code=${code}`);
    }
  }
  // Without the code: other users of this machine see the arguments of programs.
  if (opens && !(await openBrowser(link, process.env))) tell(`No browser could be opened. Open ${link}.`);
}

interface Exposure {
  address: string;
  tls: { cert: string; key: string } | undefined;
  isBehindProxy: boolean;
  allowedHosts: readonly string[];
}

/** Tokens must not cross a network in the clear. */
function checkExposure({ address, tls, isBehindProxy, allowedHosts }: Exposure): void {
  if (!isLoopback(address) && !tls && !isBehindProxy) {
    throw new UsageProblem(
      `--listen ${address} can be reached from other machines, and tokens would be sent without encryption. Give a certificate with --tls-cert and --tls-key, or --behind-proxy if a proxy in front of it has one.`,
    );
  }
  if (isBehindProxy && allowedHosts.length === 0) {
    throw new UsageProblem('--behind-proxy needs --allowed-host NAME: the name under which clients reach the proxy.');
  }
  if (isBehindProxy && tls) throw new UsageProblem('--behind-proxy and --tls-cert exclude each other.');
  const odd = allowedHosts.find((name) => !/^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:]+\])(?::\d{1,5})?$/i.test(name));
  if (odd !== undefined) {
    throw new UsageProblem(
      `--allowed-host takes a name such as helve.example.org, without https://, but was "${odd}".`,
    );
  }
}

function readTls(values: { 'tls-cert'?: string | undefined; 'tls-key'?: string | undefined }) {
  const { 'tls-cert': cert, 'tls-key': key } = values;
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageProblem('--tls-cert and --tls-key belong together.');
  return { cert: readPem('--tls-cert', cert), key: readPem('--tls-key', key) };
}

function readPem(flag: string, path: string): string {
  try {
    const text = readFileSync(path, 'utf8');
    if (text.includes('-----BEGIN ')) return text;
  } catch (error) {
    throw new UsageProblem(`${flag} ${path} can't be read: ${messageOf(error)}`);
  }
  throw new UsageProblem(`${flag} ${path} is not a PEM file: it has no line that begins with -----BEGIN.`);
}

function readPort(given: string | undefined): number {
  if (given === undefined) return DEFAULT_PORT;
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given);
  throw new UsageProblem(`--port takes a port from 1 to 65535, or 0 for any that is free, but was "${given}".`);
}

function readSeconds(given: string): number {
  if (/^\d{1,5}$/.test(given) && Number(given) <= MAX_DRAIN_SECONDS) return Number(given);
  throw new UsageProblem(`--drain takes seconds from 0 to ${MAX_DRAIN_SECONDS}, but was "${given}".`);
}

async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Bounded, since each request of a stranger may cause a line; a log that can't be written is no reason to end. */
function toStderr(): (sentence: string) => void {
  const lines = new LimitedLines();
  process.stderr.on('error', () => {});
  return (sentence) => {
    for (const line of lines.take(sentence)) process.stderr.write(`helve: ${visible(line)}\n`);
  };
}
