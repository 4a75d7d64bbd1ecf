import type { RunResult } from '../contract/event.js';
import { ModelFailure } from '../contract/model.js';
import { createAgent } from '../create-agent.js';
import { chooseModel } from '../models/choose-model.js';
import { visible } from '../platform/text/visible.js';
import { engineFlags, engineOptions, readArgs } from './args.js';
import { exitCode } from './exit-codes.js';
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
    'output-format': { type: 'string' },
    'max-turns': { type: 'string' },
    'append-system-prompt': { type: 'string' },
    verbose: { type: 'boolean' }, // other programs send it along with stream-json
  });
  if (!values.print) throw new UsageProblem('To run a prompt, use helve -p "…".');
  const format = outputFormats.find((known) => known === (values['output-format'] ?? 'text'));
  if (!format) {
    throw new UsageProblem(`--output-format takes ${outputFormats.join(', ')}, but was "${values['output-format']}".`);
  }
  const maxTurns = readMaxTurns(values['max-turns']);
  const options = engineOptions(values, process.env);
  const prompt = await readPrompt(positionals);

  const model = await chooseModel(values.model, process.env).catch((error: unknown) => {
    if (error instanceof ModelFailure) throw new UsageProblem(error.message);
    throw error;
  });
  const agent = createAgent({
    ...options,
    model,
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
    }
  } finally {
    await agent.end();
    signals.dispose();
  }
  if (!result) throw new Error('The run ended without a result.');
  const failed = result.outcome !== 'completed';
  if (format === 'json') await writeEach(output.lines({ ...result, at: Date.now() }));
  if (format === 'text') await writeText(result.text, { failed });
  return signals.exitCode ?? (failed ? exitCode.failed : exitCode.ok);
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
