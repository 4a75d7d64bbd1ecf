import type { ResumedSession } from '../agent/resume-session.js';
import type { AgentEvent, RunResult } from '../contract/event.js';
import { efforts, type Model, ModelFailure } from '../contract/model.js';
import { createAgent } from '../create-agent.js';
import { type Catalogue, secretVariables } from '../models/catalogue.js';
import { chooseModel } from '../models/choose-model.js';
import { MAX_FALLBACKS } from '../models/retry.js';
import { retriesFrom } from '../models/retry-environment.js';
import { visible } from '../platform/text/visible.js';
import { engineFlags, readArgs } from './args.js';
import { type CliEngineOptions, engineOptions } from './engine-options.js';
import { exitCode } from './exit-codes.js';
import { readCatalogue } from './read-catalogue.js';
import { readPiped } from './read-piped.js';
import { onSignals } from './signals.js';
import { StreamJson } from './stream-json.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

const outputFormats = ['text', 'json', 'stream-json'] as const;

/** One prompt, no person: the answer on standard output, everything else nowhere or on standard error. */
export async function headless(argv: readonly string[], version: string): Promise<number> {
  const { values, positionals } = readArgs(argv, {
    ...engineFlags,
    print: { type: 'boolean', short: 'p' },
    model: { type: 'string' },
    'fallback-model': { type: 'string' },
    effort: { type: 'string' },
    'output-format': { type: 'string' },
    'max-turns': { type: 'string' },
    'append-system-prompt': { type: 'string' },
    continue: { type: 'boolean', short: 'c' },
    resume: { type: 'string', short: 'r' },
    fork: { type: 'boolean' },
    'no-save': { type: 'boolean' },
    verbose: { type: 'boolean' }, // other programs send it along with stream-json
  });
  if (!values.print)
    throw new UsageProblem('To run a prompt, use helve -p "…"; the options of a command come after its name.');
  const format = outputFormats.find((known) => known === (values['output-format'] ?? 'text'));
  if (!format) {
    throw new UsageProblem(`--output-format takes ${outputFormats.join(', ')}, but was "${values['output-format']}".`);
  }
  const maxTurns = readMaxTurns(values['max-turns']);
  const options = await engineOptions(values);
  const prompt = await readPrompt(positionals);

  const catalogue = await readCatalogue(options.env);
  const models = await readModels(values, options, catalogue).catch((error: unknown) => {
    if (error instanceof ModelFailure) throw new UsageProblem(error.message);
    throw error;
  });
  const wanted = values.resume ?? (values.continue ? 'last' : undefined);
  if (values.fork && wanted === undefined) throw new UsageProblem('--fork goes with --resume ID or --continue.');
  const resumed = wanted === undefined ? undefined : await takeUp(wanted, values, options, models.model);
  const agent = createAgent({
    ...options,
    ...models,
    keepSession: !values['no-save'],
    onStoreProblem: (sentence) => process.stderr.write(`helve: ${visible(sentence)}\n`),
    ...(resumed && { resumed }),
    hiddenVariables: secretVariables(catalogue),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(values['append-system-prompt'] !== undefined && { appendSystemPrompt: values['append-system-prompt'] }),
  });
  const signals = onSignals(() => agent.session.killAll());
  const output = new StreamJson({ sessionId: agent.session.id, version });
  let result: RunResult | undefined;
  try {
    for await (const event of agent.run(prompt, { signal: signals.signal })) {
      if (event.type === 'result') result = event;
      if (format === 'stream-json') await writeEach(output.lines(event));
      else if (event.type === 'model_retry') await writeLine(process.stderr, retryLine(event));
      else if (event.type === 'notice') await writeLine(process.stderr, `helve: ${visible(event.text)}`);
    }
  } finally {
    for (const what of agent.session.stillRunning) await writeLine(process.stderr, `helve: ending ${visible(what)}`);
    await agent.end();
    signals.dispose();
  }
  if (!result) throw new Error('The run ended without a result.');
  const failed = result.outcome !== 'completed';
  if (format === 'json') await writeEach(output.lines({ ...result, at: Date.now() }));
  if (format === 'text') {
    await writeText(result.text, { failed });
    const denied = result.denials.map(({ tool }) => tool);
    if (denied.length > 0) {
      const what = `${denied.length === 1 ? 'a call was' : `${denied.length} calls were`} denied (${[...new Set(denied)].join(', ')})`;
      await writeLine(process.stderr, `helve: ${what}. helve audit show last says why; rules may allow them.`);
    }
  }
  return signals.exitCode ?? (failed ? exitCode.failed : exitCode.ok);
}

async function takeUp(
  wanted: string,
  flags: { fork?: boolean; 'permission-mode'?: string },
  { env, permissionMode }: CliEngineOptions,
  model: Model,
): Promise<ResumedSession> {
  const { resume } = await import('./resume.js');
  const { SessionProblem } = await import('../agent/session-problem.js');
  const mode = flags['permission-mode'] === undefined ? undefined : permissionMode;
  try {
    return await resume({ wanted, fork: flags.fork === true, model, mode, env });
  } catch (error) {
    if (error instanceof SessionProblem) throw new UsageProblem(error.message);
    throw error;
  }
}

async function readModels(
  flags: { model?: string; 'fallback-model'?: string; effort?: string },
  { env, settings: { current } }: CliEngineOptions,
  catalogue: Catalogue,
) {
  const retries = retriesFrom(env);
  const options = { ...readEffort(flags.effort ?? current.effort?.value), catalogue };
  const model = await chooseModel(flags.model ?? current.model?.value, env, options);
  const fallback = flags['fallback-model'] ?? current.fallbackModel?.value.join(',') ?? '';
  const names = fallback.split(',').filter((name) => name.trim() !== '');
  if (flags['fallback-model'] !== undefined && (names.length === 0 || names.length > MAX_FALLBACKS)) {
    throw new UsageProblem(
      `--fallback-model takes one to ${MAX_FALLBACKS} models with commas between, but was "${flags['fallback-model']}".`,
    );
  }
  const fallbackModels: Model[] = [];
  for (const name of names) fallbackModels.push(await chooseModel(name, env, options));
  return { model, fallbackModels, retries };
}

function readEffort(text: string | undefined) {
  if (text === undefined) return {};
  const effort = efforts.find((known) => known === text);
  if (effort) return { effort };
  throw new UsageProblem(`--effort takes ${efforts.join(', ')}, but was "${text}".`);
}

/** So that a person who sees nothing happen knows what is waited for. */
function retryLine({ reason, waitMs, attempt, maxRetries }: Extract<AgentEvent, { type: 'model_retry' }>): string {
  const when = waitMs === 0 ? 'now' : `in ${Math.max(0.1, Math.round(waitMs / 100) / 10)} s`;
  return `helve: ${visible(reason)} Trying again ${when} (${attempt} of ${maxRetries}).`;
}

/** A program gets the text as it is; a terminal must not be steered by it. */
async function writeText(text: string, { failed }: { failed: boolean }): Promise<void> {
  if (failed) await writeLine(process.stderr, `helve: ${visible(text)}`);
  else await writeLine(process.stdout, process.stdout.isTTY ? visible(text) : text);
}

async function writeEach(lines: ReturnType<StreamJson['lines']>): Promise<void> {
  for (const line of lines) await writeLine(process.stdout, JSON.stringify(line));
}

function readMaxTurns(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const turns = Number(text);
  if (Number.isInteger(turns) && turns > 0) return turns;
  throw new UsageProblem(`--max-turns takes a whole number above 0, but was "${text}".`);
}

/** The argument, then what is piped in. */
async function readPrompt(positionals: readonly string[]): Promise<string> {
  if (positionals.length > 1) {
    throw new UsageProblem(`-p takes one prompt, but there are ${positionals.length}. Put it in quotes.`);
  }
  const [argument = ''] = positionals;
  const piped = await readPiped(process.stdin, { mayBeSilent: argument !== '' });
  const prompt = [argument, piped.trimEnd()].filter((part) => part !== '').join('\n\n');
  if (prompt.trim() === '') throw new UsageProblem('There is no prompt. Give it as an argument, or pipe it in.');
  return prompt;
}
