import type { Observer } from '../observe/observe.js';
import type { SessionComponent } from '../session-component.js';

/** Passes each event to the observers, which don't affect the run. The list may grow until the first prompt. */
export function observerComponents(observers: readonly Observer[]): SessionComponent {
  return {
    name: 'observers',
    async prepare() {
      for (const observer of observers) watched(() => observer.begin?.());
    },
    onEvent(event) {
      for (const observer of observers) watched(() => observer.take(event));
    },
  };
}

/** An observer that throws is reported; the others and the run continue. */
function watched(look: () => void): void {
  try {
    look();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
