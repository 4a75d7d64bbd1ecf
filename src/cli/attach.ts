// `helve attach`: follows a background session, answers its questions and sends it prompts.
import { dataFolderOf } from '../platform/files/paths.js';
import { jsonLine } from '../platform/text/json-line.js';
import { visible } from '../platform/text/visible.js';
import type { Settings } from '../settings/settings.js';
import type { AttachedSession } from '../terminal/attach/attached-session.js';
import { conversationFlags, readArgs } from './args.js';
import { elsewhere, findListed, SHORT_CHARS } from './background/background-sessions.js';
import { hostPlace } from './background/host-place.js';
import { attachTo } from './background/remote-session.js';
import { sessionArgv } from './background/session-argv.js';
import { callerHere, withHost } from './background/with-host.js';
import { exitCode } from './exit-codes.js';
import { terminalFlags } from './interactive/terminal-flags.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

declare const HELVE_VERSION: string; // defined by the build

const flags = { ...conversationFlags, ...terminalFlags, json: { type: 'boolean' } } as const;

export async function attach(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  const [wanted, more] = positionals;
  if (more !== undefined) {
    throw new UsageProblem('helve attach takes the id of one session, or last. helve ps lists them.');
  }
  const place = hostPlace(dataFolderOf());
  const listed = await findListed(place.dataFolder, wanted);
  if (listed.surface !== 'background') {
    throw new UsageProblem(
      `${elsewhere(listed)} Go on there; helve logs ${listed.id.slice(0, SHORT_CHARS)} shows what it has done.`,
    );
  }
  const tell = (sentence: string): void => void process.stderr.write(`helve: ${visible(sentence)}\n`);
  const caller = callerHere(sessionArgv(values));
  return await withHost({ place, version: HELVE_VERSION, caller, tell }, async (host) => {
    const session = await attachTo(host, listed.id);
    const isAtTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
    if (values.json || !isAtTerminal) {
      await printEntries(session, values.json === true);
      return exitCode.ok;
    }
    const { attachTerminal } = await import('../terminal/attach/attach-terminal.js');
    const short = session.id.slice(0, SHORT_CHARS);
    const end = await attachTerminal(session, {
      version: HELVE_VERSION,
      env: process.env,
      isPlain: values['screen-reader'] === true,
      welcome: welcomeTo(session),
      settings: async () => await interfaceSettings(session.root),
    });
    await writeLine(
      process.stdout,
      end === 'detached'
        ? `\nThe session ${short} goes on. To come back: helve attach ${short}`
        : `\nThe session ${short} was closed. To continue it: helve attach ${short}`,
    );
    return exitCode.ok;
  });
}

function welcomeTo({ id, title, facts }: AttachedSession): string {
  const named = title === '' ? '' : `: ${title}`;
  const place = facts?.worktree === undefined ? '' : ` It works in the worktree ${facts.worktree}.`;
  return `The background session ${id.slice(0, SHORT_CHARS)}${named}. It goes on when you leave.${place}`;
}

/** What the folder of the session sets needs trust, as everywhere. */
async function interfaceSettings(root: string): Promise<Settings> {
  const { readSettings } = await import('./read-settings.js');
  const { knownNames } = await import('../agent/known-names.js');
  const { current } = await readSettings({ root, env: process.env, ...knownNames({ root }) }, { asksForTrust: true });
  return current;
}

/** Until the session has nothing to do. */
export async function printEntries(session: Pick<AttachedSession, 'id' | 'entries'>, asJson: boolean): Promise<void> {
  const { EntryLines } = await import('../terminal/attach/entry-lines.js');
  const { PlainLines } = await import('../terminal/plain/plain-lines.js');
  const lines = new EntryLines(
    new PlainLines({ write: (text) => process.stdout.write(text), color: process.stdout.isTTY === true }),
  );
  for await (const line of session.entries) {
    const { entry } = line;
    if (asJson) await writeLine(process.stdout, jsonLine(line));
    else if (entry.kind === 'question') {
      const { question, isOpen } = entry;
      if (isOpen)
        await writeLine(
          process.stdout,
          `  ? Waits for an answer (${question.kind}). helve attach ${session.id.slice(0, SHORT_CHARS)} in a terminal answers it.`,
        );
    } else lines.take(line);
    if (entry.kind === 'state' && (entry.state === 'idle' || entry.state === 'failed')) break;
  }
  lines.end();
}
