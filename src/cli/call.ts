import { createEngine, type FullEngine } from '../compose/create-engine.js';
import type { AgentHappening } from '../contract/event.js';
import type { ToolResultBlock } from '../contract/message.js';
import type { Decision } from '../contract/permission.js';
import { secretVariables } from '../models/catalogue/catalogue.js';
import { isObject } from '../platform/is-object.js';
import { readJson } from '../platform/parse-json.js';
import { counted } from '../platform/text/counted.js';
import { jsonLine } from '../platform/text/json-line.js';
import { readLines } from '../platform/text/read-lines.js';
import { visible } from '../platform/text/visible.js';
import { allowingFlag } from './allowing-flag.js';
import { engineFlags, readArgs } from './args.js';
import { readCallArguments } from './call-arguments.js';
import { engineOptions } from './engine-options.js';
import { exitCode } from './exit-codes.js';
import { readCatalogue } from './read-catalogue.js';
import { ruleMayAllow } from './rule-may-allow.js';
import { onSignals } from './signals.js';
import { variablesForTracing } from './telemetry-flags.js';
import { misspeltLineKey, unknownLineKey } from './unknown-line-key.js';
import { UsageProblem } from './usage-problem.js';
import { worktreeOf } from './worktree-of.js';
import { writeLine } from './write-line.js';

const USAGE =
  'Use helve call TOOL with words or JSON, for example helve call Read README.md or helve call Read \'{"file_path": "README.md"}\', or helve call --stdin.';

/** Runs one call, or one call per line, through the whole call path without a model. */
export async function call(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, {
    ...engineFlags,
    stdin: { type: 'boolean' },
    json: { type: 'boolean' },
    text: { type: 'boolean' },
  });
  if (values.json && values.text) throw new UsageProblem('--json and --text contradict each other. Leave one out.');
  if (values.stdin && values.text) throw new UsageProblem('--stdin writes JSON lines, so it does not go with --text.');
  const single = values.stdin ? undefined : readSingleCall(positionals);
  if (values.stdin && positionals.length > 0)
    throw new UsageProblem(`--stdin takes its calls from standard input. ${USAGE}`);

  const wanted = await worktreeOf({ worktree: undefined, worktreeEnd: undefined, resume: undefined });
  const configured = await engineOptions(values, wanted && { root: wanted.project });
  const worktree =
    wanted && (await (await import('./worktree/session-worktree.js')).openRunWorktree(wanted, configured));
  const options = { ...configured, ...(worktree && { worktree: worktree.place }) };
  const secrets = secretVariables(await readCatalogue(options.env));
  const hiddenVariables = [...secrets, ...variablesForTracing(options.env)];
  const engine = createEngine({ ...options, hiddenVariables });
  const signals = onSignals(() => engine.session.killAll());
  const asText = values.text ?? (!values.json && process.stdout.isTTY === true);
  try {
    const failed = single
      ? await runSingle(engine, single, { asText, signal: signals.signal })
      : await runLines(engine, signals.signal);
    return signals.exitCode ?? (failed ? exitCode.failed : exitCode.ok);
  } finally {
    const running = engine.session.stillRunning;
    await engine.end();
    await worktree?.leave();
    await reportEnded(running);
    signals.dispose();
  }
}

/** Reports background commands, which end with the command line. */
async function reportEnded(running: readonly string[]): Promise<void> {
  if (running.length === 0) return;
  const count = counted(running.length, 'background command was', 'background commands were');
  await writeLine(process.stderr, `helve: ${count} ended with the session: ${visible(running.join(', '))}`);
}

interface RequestedCall {
  tool: string;
  input: Readonly<Record<string, unknown>>;
}

function readSingleCall(positionals: readonly string[]): RequestedCall {
  const { tool, input } = readCallArguments(positionals, USAGE);
  if (!isObject(input)) throw new UsageProblem(`The input of ${tool} must be a JSON object. ${USAGE}`);
  return { tool, input };
}

/** Programs get the result as JSON; people get its text. */
async function runSingle(
  engine: FullEngine,
  { tool, input }: RequestedCall,
  { asText, signal }: { asText: boolean; signal: AbortSignal },
): Promise<boolean> {
  const { result, decision, problem, output } = await runOne(engine, 'call_1', { tool, input }, signal);
  if (!asText) await writeLine(process.stdout, jsonLine(result));
  else if (!result.is_error) await writeLine(process.stdout, visible(textOf(result)));
  else {
    if (output !== undefined && output !== '') await writeLine(process.stdout, visible(output));
    await writeLine(process.stderr, `helve: ${visible(problem ?? textOf(result))}`);
  }
  if (decision?.behavior === 'ask') {
    const way = ruleMayAllow(decision, input)
      ? `To allow it, add: ${allowingFlag({ tool, input })}`
      : 'No rule can allow it; helve permissions explain says why.';
    await writeLine(process.stderr, visible(`helve: this command cannot ask for permission. ${way}`));
  }
  return result.is_error === true;
}

const textOf = ({ content }: ToolResultBlock): string =>
  typeof content === 'string'
    ? content
    : content.map((block) => (block.type === 'text' ? block.text : `[image: ${block.source.media_type}]`)).join('\n');

/** Strictly serial: the next line starts once the result of the last is written. */
async function runLines(engine: FullEngine, signal: AbortSignal): Promise<boolean> {
  let anyFailed = false;
  let number = 0;
  for await (const line of readLines(process.stdin, signal)) {
    number += 1;
    if (line.trim() === '') continue;
    const answer = await answerLine(engine, line, number, signal);
    anyFailed ||= answer.is_error;
    await writeLine(process.stdout, asJson(answer, line, number));
  }
  return anyFailed;
}

interface LineAnswer {
  id: unknown;
  tool: string | null;
  content: ToolResultBlock['content'];
  is_error: boolean;
}

async function answerLine(engine: FullEngine, line: string, number: number, signal: AbortSignal): Promise<LineAnswer> {
  const bad = (problem: string, id: unknown = null): LineAnswer => {
    const content = `Line ${number} was not run: ${problem}${problem.endsWith('?') ? '' : '.'} A line is one JSON object {"id"?, "tool", "input"}.`;
    return { id, tool: null, content, is_error: true };
  };
  const parsed = readJson(line);
  if (parsed.problem !== undefined) return bad(`it is not valid JSON (${parsed.problem})`);
  if (!isObject(parsed.value)) return bad('it is not a JSON object');
  const { id = null, tool, input = {} } = parsed.value;
  const misspelt = misspeltLineKey(parsed.value, lineKeys);
  if (misspelt !== undefined) return bad(misspelt, id);
  if (typeof tool !== 'string') return bad(`"tool" must name a tool${insteadOf('tool', parsed.value)}`, id);
  const misnamed = insteadOf('input', parsed.value);
  if (!isObject(input) || misnamed !== '') return bad(`"input" must be an object${misnamed}`, id);
  const unknown = unknownLineKey(parsed.value, lineKeys);
  if (unknown !== undefined) return bad(unknown, id);
  const { result } = await runOne(engine, `call_${number}`, { tool, input }, signal);
  return { id, tool, content: result.content, is_error: result.is_error === true };
}

const lineKeys = ['id', 'tool', 'input'];

/** Other formats' names for these keys. */
const otherKeys = { tool: ['name', 'tool_name', 'function'], input: ['arguments', 'args', 'parameters', 'tool_input'] };

function insteadOf(key: keyof typeof otherKeys, line: Readonly<Record<string, unknown>>): string {
  const found = key in line ? undefined : otherKeys[key].find((other) => other in line);
  return found === undefined ? '' : `. The line has "${found}": write "${key}" instead`;
}

interface FinishedCall {
  result: ToolResultBlock;
  decision: Decision | undefined;
  /** What went wrong, for the person. */
  problem: string | undefined;
  /** What the program printed, if the call ran one. */
  output: string | undefined;
}

async function runOne(
  engine: FullEngine,
  id: string,
  { tool, input }: RequestedCall,
  signal: AbortSignal,
): Promise<FinishedCall> {
  let decision: Decision | undefined;
  let problem: string | undefined;
  let output: string | undefined;
  const onEvent = (event: AgentHappening): void => {
    if (event.type === 'permission_decision') decision = event.decision;
    if (event.type === 'tool_result') {
      problem = event.problem;
      output = event.display.body?.type === 'output' ? event.display.body.text : undefined;
    }
    if (event.type === 'notice') process.stderr.write(`helve: ${visible(event.text)}\n`);
  };
  const [result] = await engine.callTools([{ id, name: tool, input }], { signal, onEvent });
  if (!result) throw new Error(`The call ${id} of ${tool} gave no result.`);
  return { result, decision, problem, output };
}

function asJson(answer: LineAnswer, line: string, number: number): string {
  try {
    if (typeof answer.id !== 'number') return jsonLine(answer);
    return jsonLine({ ...answer, id: null }).replace('null', () => idAsWritten(line) ?? String(answer.id));
  } catch {
    const content = `Line ${number} was answered, but its id is nested too deeply to be returned. Use a short text or a number.`;
    return jsonLine({ ...answer, id: null, content, is_error: true });
  }
}

/** The id's digits in the line: the parsed number may be rounded. */
function idAsWritten(line: string): string | undefined {
  const written = new Map<unknown, string | undefined>();
  function note(this: unknown, key: string, value: unknown, { source }: { source?: string } = {}): unknown {
    if (key === 'id') written.set(this, source);
    return key === '' ? written.get(value) : value;
  }
  const found: unknown = JSON.parse(line, note);
  return typeof found === 'string' ? found : undefined;
}
