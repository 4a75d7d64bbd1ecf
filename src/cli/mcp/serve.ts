import type { FullEngine } from '../../compose/create-engine.js';
import { identityOf, openSessions } from '../../compose/serve-sessions.js';
import type { OpenSession, ServerIdentity } from '../../mcp/server/serve-port.js';
import { secretVariables } from '../../models/catalogue/catalogue.js';
import { randomHex } from '../../platform/crypto.js';
import { visible } from '../../platform/text/visible.js';
import { engineFlags, readArgs } from '../args.js';
import { engineOptions } from '../engine-options.js';
import { exitCode } from '../exit-codes.js';
import { readCatalogue } from '../read-catalogue.js';
import { onSignals } from '../signals.js';
import { variablesForTracing } from '../telemetry-flags.js';
import { SetupProblem, UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';

const USAGE = 'Use helve mcp serve, or helve mcp serve --http [PORT].';
const TOKEN_VARIABLE = 'HELVE_MCP_TOKEN';
const MIN_TOKEN_CHARS = 16; // a shorter token could be guessed

/** Offers Helve's tools to MCP clients, with its permissions, hooks and sandbox. */
export async function serve(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { ...engineFlags, http: { type: 'boolean' } });
  const port = readPort(positionals, { isHttp: values.http === true });
  const options = await engineOptions(values);
  const token = port === undefined ? undefined : readToken(options.env);
  const secrets = secretVariables(await readCatalogue(options.env));
  const hiddenVariables = [...secrets, ...variablesForTracing(options.env), TOKEN_VARIABLE];
  const engines = new Set<FullEngine>();
  const signals = onSignals(() => {
    for (const engine of engines) engine.session.killAll();
  });
  const served = {
    open: openSessions({ ...options, hiddenVariables }, { engines, onNotice: tell }),
    identity: identityOf(process.cwd()),
    onProblem: tell,
  };
  try {
    if (port === undefined || token === undefined) {
      if (process.stdin.isTTY) tell('helve mcp serve speaks MCP on standard input and output: MCP clients start it.');
      const { serveOverStdio } = await import('../../mcp/server/serve-stdio.js');
      await serveOverStdio({ ...served, signal: signals.signal });
    } else {
      await serveHttp({ ...served, port, ...token }, signals.signal);
    }
    return signals.exitCode ?? exitCode.ok;
  } finally {
    signals.dispose();
  }
}

function readPort(words: readonly string[], { isHttp }: { isHttp: boolean }): number | undefined {
  const [word, ...more] = words;
  if (!isHttp) {
    if (word === undefined) return undefined;
    throw new UsageProblem(`helve mcp serve takes no argument such as "${word}". ${USAGE}`);
  }
  if (more.length > 0)
    throw new UsageProblem(`--http takes one port, but there are ${words.length} arguments. ${USAGE}`);
  if (word === undefined) return 0;
  if (/^\d{1,5}$/.test(word) && Number(word) <= 65_535) return Number(word);
  throw new UsageProblem(`--http takes a port from 1 to 65535, but was "${word}". ${USAGE}`);
}

interface Token {
  token: string;
  /** The user has set it, so it is not printed. */
  isOwn: boolean;
}

function readToken(env: Readonly<Record<string, string | undefined>>): Token {
  const given = env[TOKEN_VARIABLE];
  if (given === undefined || given === '') return { token: randomHex(32), isOwn: true };
  if (given.length >= MIN_TOKEN_CHARS && /^[\x21-\x7e]+$/.test(given)) return { token: given, isOwn: false };
  throw new UsageProblem(
    `${TOKEN_VARIABLE} must have at least ${MIN_TOKEN_CHARS} characters, without spaces. Leave it out to have one generated.`,
  );
}

interface HttpServing extends Token {
  port: number;
  open: OpenSession;
  identity: ServerIdentity;
  onProblem(text: string): void;
}

async function serveHttp({ isOwn, ...options }: HttpServing, signal: AbortSignal): Promise<void> {
  const { PortRefused, serveOverHttp } = await import('../../mcp/server/serve-http.js');
  const service = await serveOverHttp(options).catch((error: unknown) => {
    if (error instanceof PortRefused) throw new SetupProblem(error.message);
    throw error;
  });
  await writeLine(process.stdout, `url: ${service.url}`);
  await writeLine(process.stdout, `token: ${isOwn ? options.token : `(as in ${TOKEN_VARIABLE})`}`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await service.close();
}

/** stdout is reserved for the protocol. */
function tell(text: string): void {
  process.stderr.write(`helve: ${visible(text)}\n`);
}
