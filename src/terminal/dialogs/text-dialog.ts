import type { Theme } from '../screen/theme.js';
import { TextField } from './text-field.js';
import { TitledDialog } from './titled-dialog.js';

export interface TextDialogFacts {
  title: string;
  text?: string;
  /** Masks the text. */
  isSecret?: boolean;
  /** What Enter does. Default: send. */
  verb?: string | undefined;
  /** The initial text. */
  draft?: string;
  /** The height of the window. */
  rows?(): number;
}

/** A question for one line of text. Undefined if the user cancels. */
export class TextDialog extends TitledDialog {
  constructor(theme: Theme, facts: TextDialogFacts, answer: (text: string | undefined) => void) {
    const field = new TextField({ text: facts.draft ?? '', isSecret: facts.isSecret ?? false });
    super(theme, facts, {
      hint: `enter to ${facts.verb ?? 'send'} · esc to cancel`,
      takesText: true,
      get focused() {
        return field.focused;
      },
      set focused(value) {
        field.focused = value;
      },
      render: (width) => field.render(width),
      handle(data) {
        const done = field.handle(data);
        if (done) answer('submitted' in done ? done.submitted : undefined);
      },
    });
  }
}
