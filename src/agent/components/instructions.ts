import type { Instructions } from '../instructions/instructions.js';
import type { SessionComponent } from '../session-component.js';

/**
 * Adds instruction files: those of the person and the project after the system prompt, before the first request
 * and then unchanged; those of subfolders with the results that show a file there.
 */
export function instructionsComponent(instructions: Instructions, system: string[]): SessionComponent {
  let isAdded = false;
  return {
    name: 'instructions',
    async prepare() {
      if (isAdded) return;
      const block = await instructions.block();
      if (block !== undefined) system.push(block);
      isAdded = true;
    },
    beforeMessage: () => instructions.flush(),
    onSeen: (real) => instructions.saw(real),
    onCompacted: () => instructions.forget(),
  };
}
