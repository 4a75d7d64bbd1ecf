import { KeyBindings } from '../input/key-bindings.js';
import type { Screen } from '../screen/screen.js';
import type { StatusLine } from '../screen/status-line.js';
import type { TerminalSettings } from '../start-terminal.js';
import type { EditorSlot } from './editor-slot.js';

/** Applies what settings say about the terminal itself, but for the theme, and redraws it. */
export function applySettings(
  { settings: { current } }: TerminalSettings,
  { place, status, screen, tell }: { place: EditorSlot; status: StatusLine; screen: Screen; tell(text: string): void },
): void {
  const keys = new KeyBindings(current.keys);
  place.use(keys, { vi: current.editorMode?.value === 'vim' });
  for (const conflict of keys.conflicts()) tell(conflict);
  if (current.statusLine) status.useCommand(current.statusLine.value.command);
  screen.redrawAll();
}
