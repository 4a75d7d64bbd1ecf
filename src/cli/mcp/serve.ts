import type { AgentHappening } from '../../contract/event.js';
import type { TextBlock } from '../../contract/message.js';
import { createEngine, type Engine, type EngineOptions } from '../../create-engine.js';
import type { OpenSession, ServedResult, ServedTool, ServerIdentity } from '../../mcp/serve-port.js';
import { secretVariables } from '../../models/catalogue.js';
import { randomHex } from '../../platform/crypto.js';
import { visible } from '../../platform/text/visible.js';
import { engineFlags, readArgs } from '../args.js';
import { engineOptions } from '../engine-options.js';
import { exitCode } from '../exit-codes.js';
import { readCatalogue } from '../read-catalogue.js';
import { onSignals } from '../signals.js';
import { UsageProblem } from '../usage-problem.js';
import { variablesForTracing } from '../wanted-observation.js';
import { writeLine } from '../write-line.js';

const USAGE = 'Use helve mcp serve, or helve mcp serve --http [PORT].';
const TOKEN_VARIABLE = 'HELVE_MCP_TOKEN';
const MIN_TOKEN_CHARS = 16; // what could be guessed by trying is no token

declare const HELVE_VERSION: string; // put in by the build

/** Offers Helve's tools to MCP clients, with its permissions, hooks and sandbox. */
export async function serve(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { ...engineFlags, http: { type: 'boolean' } });
  const port = readPort(positionals, { isHttp: values.http === true });
  const options = await engineOptions(values);
  const token = port === undefined ? undefined : readToken(options.env);
  const secrets = secretVariables(await readCatalogue(options.env));
  const hiddenVariables = [...secrets, ...variablesForTracing(options.env), TOKEN_VARIABLE];
  const engines = new Set<Engine>();
  const signals = onSignals(() => {
    for (const engine of engines) engine.session.killAll();
  });
  const served = {
    open: openSessions({ ...options, hiddenVariables }, engines),
    identity: identityOf(process.cwd()),
    onProblem: tell,
  };
  try {
    if (port === undefined || token === undefined) {
      if (process.stdin.isTTY)
        tell('MCP is spoken here, on standard input and output: a client starts this, not a person.');
      const { serveOverStdio } = await import('../../mcp/serve-stdio.js');
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
    throw new UsageProblem(`helve mcp serve takes no word such as "${word}". ${USAGE}`);
  }
  if (more.length > 0) throw new UsageProblem(`--http takes one port, but there are ${words.length} words. ${USAGE}`);
  if (word === undefined) return 0;
  if (/^\d{1,5}$/.test(word) && Number(word) <= 65_535) return Number(word);
  throw new UsageProblem(`--http takes a port from 1 to 65535, but was "${word}". ${USAGE}`);
}

interface Token {
  token: string;
  /** Whoever set it knows it. */
  isOwn: boolean;
}

function readToken(env: Readonly<Record<string, string | undefined>>): Token {
  const given = env[TOKEN_VARIABLE];
  if (given === undefined || given === '') return { token: randomHex(32), isOwn: true };
  if (given.length >= MIN_TOKEN_CHARS && /^[\x21-\x7e]+$/.test(given)) return { token: given, isOwn: false };
  throw new UsageProblem(
    `${TOKEN_VARIABLE} must have at least ${MIN_TOKEN_CHARS} characters, without blanks. Leave it out to get a token made.`,
  );
}

interface HttpServing extends Token {
  port: number;
  open: OpenSession;
  identity: ServerIdentity;
  onProblem(text: string): void;
}

async function serveHttp({ isOwn, ...options }: HttpServing, signal: AbortSignal): Promise<void> {
  const { PortRefused, serveOverHttp } = await import('../../mcp/serve-http.js');
  const service = await serveOverHttp(options).catch((error: unknown) => {
    if (error instanceof PortRefused) throw new UsageProblem(error.message);
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

const identityOf = (root: string): ServerIdentity => ({
  name: 'helve',
  version: HELVE_VERSION,
  instructions:
    `Tools on a real machine, for the project in ${root}. Relative paths start there. ` +
    'Read a file before you change it. Every call is judged by the rules and hooks of this machine; a call that is ' +
    'refused comes back as an error that says why: do not look for another way to do the same. ' +
    'The working directory of commands and what was read are kept as long as the connection.',
});

/** Each connection has an engine of its own: what was read, allowed and started there concerns nobody else. */
function openSessions(options: EngineOptions, engines: Set<Engine>): OpenSession {
  return (asking) => {
    // But for those of --mcp-config, other servers are the client's own affair; and one of them might be this one.
    // And there is no model here that an agent of ours could ask.
    const toolSwitches = { Task: false, AgentOutput: false };
    const engine = createEngine({ ...options, ...asking, strictMcp: true, toolSwitches });
    engines.add(engine);
    const { session } = engine;
    let known: { definitions: unknown; tools: readonly ServedTool[] } | undefined;
    const ended = new AbortController();
    let waited: Promise<void> | undefined;
    let number = 0;
    return {
      async tools() {
        waited ??= engine.servers.beforePrompt({ signal: ended.signal, isResumed: false });
        await waited;
        const definitions = session.tools.definitions();
        if (known?.definitions !== definitions) known = { definitions, tools: servedTools(engine) };
        return known.tools;
      },
      async call({ name, input, signal, onProgress }) {
        number += 1;
        const id = `call_${number}`;
        let failure: ServedResult['failure'];
        const onEvent = (event: AgentHappening): void => {
          if (event.type === 'tool_progress') onProgress(event.text);
          if (event.type === 'tool_result') failure = event.failure;
          if (event.type === 'notice') tell(event.text);
        };
        const [result] = await engine.runCalls([{ id, name, input }], { signal, onEvent });
        if (!result) throw new Error(`The call ${id} of ${name} gave no result.`);
        const content = withReminders(result.content, session.takeReminders());
        return { content, ...(failure !== undefined && { failure }) };
      },
      async end() {
        ended.abort();
        await engine.end();
        engines.delete(engine);
      },
    };
  };
}

/** What happened meanwhile, as that a command in the background has ended, comes with the next result. */
function withReminders(content: ServedResult['content'], reminders: readonly TextBlock[]): ServedResult['content'] {
  if (reminders.length === 0) return content;
  return [...(typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content), ...reminders];
}

function servedTools(engine: Engine): ServedTool[] {
  const { tools } = engine.session;
  return tools.definitions().flatMap(({ name, description, input_schema }) => {
    const tool = tools.find(name);
    if (!tool) return [];
    return [
      {
        name,
        description,
        inputSchema: input_schema,
        async effects(input) {
          await tool.load();
          const accepted = tool.accept(input);
          if (!accepted.ok) return undefined;
          return await accepted.call.effects(engine.contextFor('hints', new AbortController().signal));
        },
      },
    ];
  });
}

/** Standard output belongs to the protocol. */
function tell(text: string): void {
  process.stderr.write(`helve: ${visible(text)}\n`);
}
