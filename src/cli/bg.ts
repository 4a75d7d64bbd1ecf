// `helve bg "…"`, or `helve --bg "…"`: hands a prompt to the host process, and returns once it is kept on disk there.
import { existsSync, realpathSync } from 'node:fs';
import { RpcError } from '../acp/json-rpc.js';
import { findSession, projectOf } from '../agent/store/list-sessions.js';
import { randomId } from '../platform/crypto.js';
import { dataFolderOf, realPathSync } from '../platform/files/paths.js';
import { jsonLine } from '../platform/text/json-line.js';
import { visible } from '../platform/text/visible.js';
import { readArgs, readWorktreeName, withOpenValues } from './args.js';
import { SHORT_CHARS } from './background/background-sessions.js';
import { HostProblem } from './background/connect-host.js';
import { HostGone } from './background/host-client.js';
import { hostPlace } from './background/host-place.js';
import { sessionArgv, sessionFlags } from './background/session-argv.js';
import { ConnectionLost, callerHere, withHost } from './background/with-host.js';
import { exitCode } from './exit-codes.js';
import { readPiped } from './headless/read-piped.js';
import { readRunFlags } from './run-flags.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

declare const HELVE_VERSION: string; // defined by the build

const MAX_SHOWN = 40;
const MAX_PIPED_BYTES = 32_000_000;
const TRIES = 3; // a host that is killed again and again would be a bug, which the error shows

const flags = {
  ...sessionFlags,
  bg: { type: 'boolean' },
  background: { type: 'boolean' },
  resume: { type: 'string', short: 'r' },
  'session-id': { type: 'string' },
  'prompt-id': { type: 'string' },
  json: { type: 'boolean' },
} as const;

export async function bg(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(withOpenValues(argv), flags);
  if (values.resume === '') throw new UsageProblem('--resume needs the id of a session, or last. helve ps lists them.');
  if (values.resume !== undefined && values.worktree !== undefined) {
    throw new UsageProblem(
      '--worktree is for a new session: one that is resumed goes back to the worktree that it worked in. Leave it out.',
    );
  }
  if (values.worktree === undefined && values['worktree-end'] !== undefined) {
    throw new UsageProblem('--worktree-end is for a session in a worktree. Add --worktree, or leave it out.');
  }
  readWorktreeName(values.worktree, { argv, prompts: positionals });
  // A goal without a text of its own is that of the prompt.
  const goal = values.goal ?? (values.until === undefined ? undefined : positionals[0]);
  const options = sessionArgv({ ...values, ...(goal !== undefined && { goal }) });
  const { sessionId: wanted, words } = readRunFlags(
    [
      ...options,
      ...(values['session-id'] === undefined ? [] : [`--session-id=${values['session-id']}`]),
      '--',
      ...positionals,
    ],
    { isInteractive: true },
  );
  const dataFolder = dataFolderOf();
  const cwd = realpathSync(process.cwd());
  const resumed = values.resume === undefined ? undefined : await findSession(dataFolder, values.resume, { root: cwd });
  if (resumed !== undefined && wanted !== undefined) {
    throw new UsageProblem('--session-id names a new session, so it does not go with --resume.');
  }
  const sessionId = resumed ?? wanted ?? randomId();
  const root = resumed === undefined ? cwd : (projectOf(dataFolder, resumed) ?? cwd);
  if (resumed !== undefined && !existsSync(root)) {
    const { worktreeAt } = await import('./worktree/session-worktree.js');
    worktreeAt(resumed, root, realPathSync(dataFolder)); // throws, and says what became of it
  }
  const promptId = values['prompt-id'] ?? randomId();
  const text = await promptOf(words);
  const request = { sessionId, promptId, cwd: root, prompt: [{ type: 'text', text }], mcpServers: [] };
  const tell = (sentence: string): void => void process.stderr.write(`helve: ${visible(sentence)}\n`);
  const caller = callerHere(options);
  if (values.worktree !== undefined) tell('making the worktree; a set-up command may take a while');
  let isNew = true;
  for (let attempt = 1; ; attempt += 1) {
    try {
      ({ isNew } = await withHost(
        { place: hostPlace(dataFolder), version: HELVE_VERSION, caller, sendsPrompt: true, tell },
        async (host) => {
          const answer = await host.request('_helve/prompt', request);
          return { isNew: answer['isNew'] === true };
        },
      ));
      break;
    } catch (error) {
      if (error instanceof RpcError) {
        throw new HostProblem(`The prompt was not accepted and does not run. ${error.message}`);
      }
      if (!(error instanceof HostGone)) throw error;
      if (attempt === TRIES) throw new ConnectionLost(sessionId, promptId);
    }
  }
  const short = sessionId.slice(0, SHORT_CHARS);
  if (values.json) await writeLine(process.stdout, jsonLine({ sessionId, promptId, isNew }));
  else {
    await writeLine(process.stdout, sessionId);
    const where = values.worktree === undefined ? '' : ' in a worktree of its own';
    const what = isNew ? `runs in the background${where}` : 'has this prompt already, so it does not run again';
    tell(`The session ${short} ${what}.`);
    tell(`To follow it: helve attach ${short}. To list all sessions: helve ps.`);
  }
  return exitCode.ok;
}

const cut = (text: string, chars: number): string => (text.length <= chars ? text : `${text.slice(0, chars - 1)}…`);

async function promptOf(words: readonly string[]): Promise<string> {
  if (words.length > 1) {
    const shown = words.map((word) => `"${cut(word.replaceAll(/\s+/g, ' '), MAX_SHOWN)}"`).join(', ');
    throw new UsageProblem(
      `--bg takes one prompt, but there are ${words.length}: ${shown}. Put the prompt in quotes, and repeat an option for each of its values.`,
    );
  }
  const [argument = ''] = words;
  const piped = await readPiped({ mayBeSilent: argument !== '', maxBytes: MAX_PIPED_BYTES });
  const prompt = [argument, piped.trimEnd()].filter((part) => part !== '').join('\n\n');
  if (prompt.trim() === '') throw new UsageProblem('There is no prompt. Give it as an argument, or pipe it in.');
  return prompt;
}
