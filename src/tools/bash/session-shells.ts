import { ToolFailure } from '../../contract/failure.js';
import type { SessionPort } from '../../contract/tool-context.js';
import {
  type BackgroundCommand,
  type BackgroundCommands,
  createBackgroundCommands,
} from '../../platform/shell/background.js';
import type { CommandAnalyzer } from '../../platform/shell/command-effects.js';
import { reapedLeftovers } from '../../platform/shell/leftovers.js';
import { createShellPool, type ShellPool } from '../../platform/shell/shell-pool.js';
import { confinementForReadyShell } from './confined.js';
import { shortTitle } from './title.js';

/** The shells of a session. Creating the first one also ends processes left by killed sessions. */
export function sessionShells(session: SessionPort): ShellPool {
  const { dataFolder } = session;
  const shells = createShellPool(session.env, { dataFolder, isBusy: () => session.isBusy === true });
  const reaped = session.own(reapedLeftovers);
  session.atRest(() => shells.rest());
  const takeBack = session.whileRunning(() => shells.kill());
  session.atEnd(async () => {
    await Promise.all([shells.end(), reaped]);
    takeBack();
  });
  return {
    ...shells,
    async fill() {
      const confined = await confinementForReadyShell(session);
      if (confined) await shells.fill({ wrap: confined });
      if (!session.sandbox) return await shells.fill();
      const { sandboxForReadyShell } = await import('./sandboxed.js');
      await shells.fill({ wrap: await sandboxForReadyShell(session) });
    },
  };
}

/** The session's background commands. The model is notified when one ends. */
export function sessionBackground(session: SessionPort): BackgroundCommands {
  const commands = createBackgroundCommands({
    onEnd: (command) => session.remind(endNotice(command)),
    onChange: (running) => session.setBackground?.(running),
    left: session.leftCommands ?? [],
  });
  session.atEnd(() => commands.end());
  return commands;
}

function endNotice(command: BackgroundCommand): string {
  return `The background command ${command.id} (${shortTitle(command.command)}) has ended: ${stateText(command)}. BashOutput shows what it wrote; all of it is in ${command.outputFile}.`;
}

/** A background command's state in a few words, with the exit code if there is one. */
export function stateText({ state }: BackgroundCommand): string {
  if (state.status === 'running') return 'running';
  const { signal, stoppedBy } = state;
  const how = state.why ?? (stoppedBy ? reasons[stoppedBy] : signal && `ended by ${signal}`);
  const code = state.exitCode === null ? '' : `, exit code ${state.exitCode}`;
  return `${state.status}${code}${how ? ` (${how})` : ''}`;
}

const reasons = {
  timeout: 'its time was up',
  output: 'it wrote more than is kept',
  request: 'it was stopped on request',
  abort: 'it was interrupted',
} as const;

/** The error for an unknown id. */
export function unknownId(id: string, commands: BackgroundCommands): ToolFailure {
  const known = commands.all.map((command) => `${command.id} (${shortTitle(command.command)}): ${stateText(command)}`);
  const list =
    known.length > 0 ? `There are:\n${known.join('\n')}` : 'None has run in the background since Helve was started.';
  const problem = `There is no background command "${id}" in this session.`;
  return new ToolFailure(`${problem} ${list}`, { kind: 'invalid_input', problem });
}

/** Analyses commands. Loaded with the first command, because it includes a parser. */
export async function sessionAnalyzer({ env }: SessionPort): Promise<CommandAnalyzer> {
  const { createCommandAnalyzer } = await import('../../platform/shell/command-effects.js');
  return createCommandAnalyzer({ env });
}
