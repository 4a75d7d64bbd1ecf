import { editSettings } from '../../settings/edit-file.js';
import type { TerminalCommand } from '../contract.js';
import { problem, text } from './answers.js';

export const vim: TerminalCommand = {
  name: 'vim',
  group: 'Settings',
  description: 'switch vi keys in the prompt on or off',

  async run(_, { vim: keys, root, env, home }) {
    if (!keys) return problem('Lines are read whole here, so there are no vi keys.');
    keys.set(!keys.isOn);
    const value = keys.isOn ? 'vim' : 'normal';
    await editSettings('user', { path: ['editorMode'], value }, { root, env, ...(home !== undefined && { home }) });
    const now = keys.isOn ? 'vi keys are on. Esc goes to normal mode, i inserts.' : 'vi keys are off.';
    return text(`${now} This is stored in your settings and applies to later conversations too.`);
  },
};
