import { createAgent } from '../../compose/create-agent.js';
import type { AgentEvent, RunResult } from '../../contract/event.js';
import { clause } from '../../platform/text/clause.js';
import { PlainLines } from '../../terminal/plain/plain-lines.js';
import { exitCode } from '../exit-codes.js';
import { onSignals } from '../signals.js';
import { type DemoFolder, inDemoFolder } from './demo-folder.js';
import { demoModel } from './demo-model.js';
import { lineDemoWords, type OwnCommand } from './demo-words.js';
import { OrderedCalls } from './ordered-calls.js';
import { demoPrompt } from './script.js';

const MAX_COLUMNS = 100;

/** The demo without a terminal: plays by itself, as lines. */
export async function lineDemo(own: OwnCommand): Promise<number> {
  const { stdout } = process;
  const color = stdout.isTTY === true && !process.env['NO_COLOR'];
  const columns = Math.min(stdout.columns || MAX_COLUMNS, MAX_COLUMNS);
  const lines = new PlainLines({ color, write: (text) => stdout.write(text), columns });
  const words = lineDemoWords(own);
  lines.line(`${words.introduction}\n`);
  lines.line(`> ${demoPrompt}\n`);
  const { result, code } = await inDemoFolder(async (folder) => await play(folder, lines, own));
  if (code !== undefined) return code;
  if (result?.outcome !== 'completed') {
    lines.line(`The demo failed: ${result?.text ?? 'no result'} Run ${own.helve} doctor to see what is missing.`);
    return exitCode.failed;
  }
  lines.line(words.farewell);
  return exitCode.ok;
}

async function play(
  { root, env, home }: DemoFolder,
  lines: PlainLines,
  own: OwnCommand,
): Promise<{ result?: RunResult | undefined; code?: number | undefined }> {
  const agent = createAgent({
    root,
    home,
    env,
    model: demoModel(lineDemoWords(own), { isPaced: process.stdout.isTTY === true }),
    async askPermission({ tool, reason }) {
      lines.line(`  ? ${tool}: ${clause(reason.replaceAll(`${root}/`, ''))}. The demo says yes.`);
      return { behavior: 'allow' };
    },
  });
  const signals = onSignals(() => agent.session.killAll());
  const ordered = new OrderedCalls<AgentEvent>();
  let result: RunResult | undefined;
  try {
    for await (const event of agent.run(demoPrompt, { signal: signals.signal })) {
      for (const next of ordered.take(event)) lines.draw(next);
      if (event.type === 'result') result = event;
    }
  } finally {
    await agent.end();
    signals.dispose();
  }
  return signals.signal.aborted ? { code: signals.exitCode ?? exitCode.ok } : { result };
}
