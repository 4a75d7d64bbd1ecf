// What a surface needs to ask the person: dialogs in the place of the editor, notifications, and the questions.
import { folderNames, homeFolder } from '../../platform/files/paths.js';
import { DialogQueue } from '../dialogs/dialog-queue.js';
import { realClock } from '../screen/inline-screen.js';
import { createNotify } from '../screen/notify.js';
import type { Screen } from '../screen/screen.js';
import type { Theme } from '../screen/theme.js';
import type { EventViews } from '../views/event-views.js';
import type { EditorSlot } from './editor-slot.js';
import { editInOwnEditor } from './key-actions.js';
import { Questions, type QuestionsOptions } from './questions.js';

export interface AskingOptions extends Pick<QuestionsOptions, 'modeAfterPlan' | 'stop'> {
  screen: Screen;
  theme: Theme;
  env: Readonly<Record<string, string | undefined>>;
  root: string;
  views: EventViews;
  place(): EditorSlot;
  /** The setting for notifications; a variable comes before it. */
  notifications(): string | undefined;
  /** A dialog was opened or closed. */
  onChange(): void;
}

export function createAsking(options: AskingOptions) {
  const { screen, theme, env, root, views, modeAfterPlan, stop } = options;
  const dialogs = new DialogQueue({
    theme,
    ...realClock,
    onChange: () => {
      screen.dialog = dialogs.current ? dialogs : undefined;
      options.onChange();
    },
    onEarlyInput: (data) => options.place().editor.handleInput(data),
    showsEarlyInput: () => options.place().editor.getText().trim() !== '',
  });
  const notify = createNotify({
    write: (text) => screen.tui.terminal.write(text),
    env,
    way: () => env['HELVE_NOTIFY'] || options.notifications(),
  });
  const questions = new Questions({
    theme,
    dialogs,
    notify,
    onAsk: (callId) => views.asking(callId),
    onQuestion: (callId) => views.question(callId),
    editText: async (text) => await editInOwnEditor(text, { env, root, screen }),
    places: { project: folderNames(root), home: [homeFolder() ?? []].flat().flatMap(folderNames) },
    rows: () => screen.dialogRows,
    modeAfterPlan,
    stop,
    draw: () => screen.draw(),
  });
  return { dialogs, notify, questions };
}
