import { matchesKey } from '@earendil-works/pi-tui';
import type { Choice } from '../contract.js';
import type { Theme } from '../screen/theme.js';
import { ChoiceList } from './choice-list.js';
import { TitledDialog } from './titled-dialog.js';

const MANY = 9; // more than there are digits

export interface ChoiceDialogFacts {
  title: string;
  /** Text above the choices. */
  text?: string;
  items: readonly Choice[];
  /** What Escape does. Default: leave. */
  cancel?: string | undefined;
}

/** A list with a title. Undefined if the user cancels. */
export class ChoiceDialog extends TitledDialog {
  constructor(theme: Theme, facts: ChoiceDialogFacts, answer: (value: string | undefined) => void) {
    const choices = facts.items.map((item) => ({ ...item, label: item.label ?? item.value }));
    const isFilterable = choices.length > MANY;
    const list = new ChoiceList(theme, choices, { isFilterable });
    super(theme, facts, {
      hint: `↑↓ enter to choose · esc to ${facts.cancel ?? 'leave'}`,
      takesText: isFilterable,
      render: (width) => list.render(width),
      handle(data) {
        const done = matchesKey(data, 'escape') ? { chosen: undefined } : list.handle(data);
        if (done && 'chosen' in done) answer(done.chosen);
      },
    });
  }
}
