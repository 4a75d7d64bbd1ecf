import { matchesKey } from '@earendil-works/pi-tui';
import type { Choice, ShownChange } from '../contract.js';
import type { Theme } from '../screen/theme.js';
import { changesLines } from '../views/changes-view.js';
import { ChoiceList } from './choice-list.js';
import { type AnswerPart, TitledDialog } from './titled-dialog.js';

const MANY = 9; // more than there are digits

export interface ChoiceDialogFacts {
  title: string;
  /** Text above the choices. */
  text?: string;
  /** Changes of files above the choices. */
  changes?: readonly ShownChange[];
  items: readonly Choice[];
  /** What Escape does. Default: cancel. */
  cancel?: string | undefined;
  /** The item that is selected at first. Default: the current one, or the first. */
  focus?: number;
  /** The height of the window. */
  rows?(): number;
}

/** A list with a title. Undefined if the user cancels. */
export class ChoiceDialog extends TitledDialog {
  constructor(theme: Theme, facts: ChoiceDialogFacts, answer: (value: string | undefined) => void) {
    const choices = facts.items.map((item) => ({ ...item, label: item.label ?? item.value }));
    const isFilterable = choices.length > MANY;
    const list = new ChoiceList(theme, choices, {
      isFilterable,
      ...(facts.focus !== undefined && { focus: facts.focus }),
    });
    const { changes = [] } = facts;
    const part: AnswerPart = {
      get hint() {
        return `${list.strayHint ?? '↑↓ enter to choose'} · esc to ${facts.cancel ?? 'cancel'}`;
      },
      takesText: isFilterable,
      render: (width) => list.render(width),
      handle(data) {
        const done = matchesKey(data, 'escape') ? { chosen: undefined } : list.handle(data);
        if (done && 'chosen' in done) answer(done.chosen);
      },
    };
    super(theme, facts, part, (width) => changesLines(theme, changes, width));
  }
}
