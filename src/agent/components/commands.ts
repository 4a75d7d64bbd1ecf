import type { UserBlock } from '../../contract/message.js';
import type { Commands } from '../commands/commands.js';
import type { RunMoment, SessionComponent } from '../session-component.js';

export interface CommandsOptions {
  commands: Commands;
  /** Asks hooks about a command; returns why it is not used. */
  onCommand(
    called: { name: string; args: string },
    prompt: readonly UserBlock[],
    run: RunMoment,
  ): Promise<string | undefined>;
  /** Called when the rules and the model that commands set for a prompt no longer apply. */
  onOver(): void;
}

/** Expands the command that a prompt begins with. */
export function commandsComponent({ commands, onCommand, onOver }: CommandsOptions): SessionComponent {
  return {
    name: 'commands',
    prepare: () => commands.find(),
    describe: () => commands.names,
    async beforePrompt(prompt, run) {
      const expanded = await commands.expand(prompt, run.signal, (called) => onCommand(called, prompt, run));
      return 'refused' in expanded ? { refuse: expanded.refused } : { prompt: expanded.prompt };
    },
    afterRun: onOver,
  };
}
