import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createAgent } from '../compose/create-agent.js';
import type { RunResult } from '../contract/event.js';
import { scriptedModel } from '../models/scripted.js';
import { clause } from '../platform/text/clause.js';
import { PlainLines } from '../terminal/plain/plain-lines.js';
import { readArgs } from './args.js';
import { ownCommand } from './demo/own-command.js';
import { sampleProject } from './demo/sample-project.js';
import { demoPrompt, demoScript } from './demo/script.js';
import { exitCode } from './exit-codes.js';
import { onSignals } from './signals.js';
import { UsageProblem } from './usage-problem.js';

const PACE_MS = 15; // between the pieces of the script's text, on a terminal, so that a user can follow

const introduction = `Helve's demo. The model is a script, so it needs no key and no network; everything else is real:
a project in a temporary folder, the tools, the permission questions (the demo says yes) and the tests.
`;

const endingFor = (helve: string): string => `That was the engine with a scripted model. To connect a real one:
  export ANTHROPIC_API_KEY=…         (or OPENAI_API_KEY and others; ${helve} models lists them, and what runs on this machine)
  ${helve} -p "what does this project do?"
${helve} tools lists the tools, ${helve} call runs one without a model, ${helve} doctor checks the set-up.`;

/** Runs a scripted model with the real engine on a sample project. */
export async function demo(argv: readonly string[]): Promise<number> {
  const { positionals } = readArgs(argv, {});
  if (positionals.length > 0) throw new UsageProblem(`helve demo takes no argument such as "${positionals[0]}".`);
  const { stdout } = process;
  const color = stdout.isTTY === true && !process.env['NO_COLOR'];
  const lines = new PlainLines({ color, write: (text) => stdout.write(text) });
  const folder = await mkdtemp(join(tmpdir(), 'helve-demo-'));
  try {
    const root = join(folder, 'corner-shop');
    await writeProject(root);
    lines.line(introduction);
    lines.line(`> ${demoPrompt}\n`);
    return await play({ root, dataFolder: join(folder, 'helve') }, lines);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function play(folders: { root: string; dataFolder: string }, lines: PlainLines): Promise<number> {
  const agent = createAgent({
    ...folders,
    model: scriptedModel(demoScript, { pace: process.stdout.isTTY ? PACE_MS : 0 }),
    env: environmentWithNode(),
    async askPermission({ tool, reason }) {
      lines.line(`  ? ${tool}: ${clause(reason)}. The demo says yes.`);
      return { behavior: 'allow' };
    },
  });
  const signals = onSignals(() => agent.session.killAll());
  let result: RunResult | undefined;
  let lastCallFailed = false;
  try {
    for await (const event of agent.run(demoPrompt, { signal: signals.signal })) {
      lines.draw(event);
      if (event.type === 'tool_result') lastCallFailed = event.result.is_error === true;
      if (event.type === 'result') result = event;
    }
  } finally {
    await agent.end();
    signals.dispose();
  }
  if (signals.signal.aborted) return signals.exitCode ?? exitCode.ok;
  const helve = ownCommand({
    program: process.argv[1] ?? '',
    path: process.env['PATH'] ?? '',
    cwd: process.cwd(),
  });
  if (result?.outcome !== 'completed' || lastCallFailed) {
    lines.line(`The demo failed: ${result?.text ?? 'no result'} Run ${helve} doctor to see what is missing.`);
    return exitCode.failed;
  }
  lines.line(endingFor(helve));
  return exitCode.ok;
}

async function writeProject(root: string): Promise<void> {
  for (const [name, content] of Object.entries(sampleProject)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
}

/** The sample's tests run with our own Node, whether or not it is first in PATH. */
function environmentWithNode(): NodeJS.ProcessEnv {
  const { PATH = '', NODE_TEST_CONTEXT: _, ...env } = process.env;
  return { ...env, PATH: `${dirname(process.execPath)}${delimiter}${PATH}` };
}
