import { readRunFlags } from './run-flags.js';
import { UsageProblem } from './usage-problem.js';

/** A conversation at the terminal. What it needs is loaded once the first frame stands. */
export async function interactive(argv: readonly string[], version: string): Promise<number> {
  const flags = readRunFlags(argv, { isInteractive: true });
  const prompt = flags.words.length === 0 ? undefined : flags.words.join(' ');
  if (flags.jsonSchema !== undefined || flags.maxBudgetUsd !== undefined) {
    const flag = flags.jsonSchema === undefined ? '--max-budget-usd' : '--json-schema';
    throw new UsageProblem(`${flag} is for a run without a person. Add -p and the prompt.`);
  }
  const { startTerminal } = await import('../terminal/start-terminal.js');
  return await startTerminal({
    version,
    prompt,
    root: process.cwd(),
    env: process.env,
    isPlain: flags.screenReader,
    first: { resume: flags.resume, picks: flags.picksSession, fork: flags.fork },
    async open(ports) {
      const { interactiveOptions, openSession } = await import('./interactive/open-session.js');
      const options = await interactiveOptions(flags);
      return {
        settings: options.settings,
        openSession: async (wish) => await openSession(flags, options, wish, ports),
      };
    },
  });
}
