// Reports the state of background commands that were running when the process of a session ended.
import type { EndedCommand, LeftCommand } from '../../contract/background.js';
import { isRunning, thisProcess } from '../../platform/journal/process-identity.js';
import { endingOf } from '../../platform/shell/ended-note.js';
import { reapedLeftovers } from '../../platform/shell/leftovers.js';

const SHOWN_CHARS = 80; // of a command

/** First ends processes that a killed Helve left running, so that a command that still runs afterwards can't be ended. */
export async function endedCommands(
  commands: readonly LeftCommand[],
  dataFolder: string,
): Promise<readonly EndedCommand[]> {
  await reapedLeftovers({ dataFolder });
  const ours = await thisProcess();
  return await Promise.all(
    commands.map(async (command) => {
      const { process, outputFile } = command;
      const ending = endingOf(outputFile);
      if (ending) {
        const how = ending.signal === null ? `with exit code ${ending.exitCode}` : `by ${ending.signal}`;
        const why = `it had ended ${how} before Helve ended`;
        return { command, isRunning: false, exitCode: ending.exitCode, why };
      }
      const runs = process !== undefined && (await isRunning(process, 0, ours));
      const why = runs
        ? `it still runs as process ${process.pid}, which this session does not control`
        : 'it ended when Helve ended, before the session was resumed';
      return { command, isRunning: runs, why };
    }),
  );
}

export const endedReminder = ({ command: { id, command, outputFile }, why }: EndedCommand): string =>
  `About the background command ${id} (${command.split('\n', 1)[0]?.slice(0, SHOWN_CHARS)}): ${why}. What it wrote is in ${outputFile}.`;
