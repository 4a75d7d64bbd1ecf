import type { CommandSession } from '../contract.js';
import type { Screen } from '../screen/screen.js';
import type { EditorSlot } from './editor-slot.js';

export interface HostPortsOptions {
  screen: Screen;
  place: EditorSlot;
  env: Readonly<Record<string, string | undefined>>;
  root: string;
}

/** What commands can do with the terminal itself: its clipboard, the user's editor, the keys of the prompt. */
export function hostPorts({
  screen,
  place,
  env,
  root,
}: HostPortsOptions): Required<Pick<CommandSession, 'copy' | 'editFile' | 'vim'>> {
  return {
    async copy(text) {
      const { copyText } = await import('../input/copy-text.js');
      return await copyText(text, { env, write: (sequence) => screen.tui.terminal.write(sequence) });
    },
    async editFile(path) {
      const { editFileExternally } = await import('../input/external-editor.js');
      return await editFileExternally(path, {
        ...{ env, cwd: root },
        pause: () => screen.lend(),
        resume: () => screen.goOn(),
      });
    },
    vim: {
      get isOn() {
        return place.isVi;
      },
      set: (isOn) => place.use(place.keys, { vi: isOn }),
    },
  };
}
