import { matchesKey } from '@earendil-works/pi-tui';
import type { Choice, ShownChange } from '../contract.js';
import type { Theme } from '../screen/theme.js';
import { changesLines } from '../views/changes-view.js';
import { wrap } from '../views/fit.js';
import { ChoiceList } from './choice-list.js';
import { proseWidth } from './scroll-window.js';
import { type AnswerPart, TitledDialog } from './titled-dialog.js';

const MANY = 9; // more than there are digits

export interface ChoiceDialogFacts {
  title: string;
  /** Text above the choices. */
  text?: string;
  /** Changes of files above the choices. */
  changes?: readonly ShownChange[];
  /** Text below the changes. */
  note?: string;
  items: readonly Choice[];
  /** What Escape does. Default: cancel. */
  cancel?: string | undefined;
  /** The item that is selected at first. Default: the current one, or the first. */
  focus?: number;
  /** What Enter does. Default: choose. */
  verb?: string | undefined;
  /** Another key for the selected item, which closes the dialog. A list with one can't be narrowed by typing. */
  extra?: { key: string; about: string; run(value: string): void };
  /** The items as they are now, for a list that changes while it is open. It closes once there are none. */
  latest?(): readonly Choice[];
  /** No work waits for it: a question is shown before it. */
  givesWay?: boolean;
  /** The height of the window. */
  rows?(): number;
}

/** A list with a title. Undefined if the user cancels. */
export class ChoiceDialog extends TitledDialog {
  readonly givesWay: boolean;

  constructor(theme: Theme, facts: ChoiceDialogFacts, answer: (value: string | undefined) => void) {
    const choices = facts.items.map(labelled);
    const { changes = [], extra, latest, verb = 'choose' } = facts;
    const isFilterable = choices.length > MANY && !extra;
    const list = new ChoiceList(theme, choices, {
      isFilterable,
      ...(facts.focus !== undefined && { focus: facts.focus }),
    });
    const part: AnswerPart = {
      get hint() {
        const also = extra ? ` · ${extra.key} to ${extra.about}` : '';
        return `${list.strayHint ?? `↑↓ enter to ${verb}`}${also} · esc to ${facts.cancel ?? 'cancel'}`;
      },
      takesText: isFilterable,
      render(width) {
        const now = latest?.();
        if (now) list.update(now.map(labelled));
        if (now?.length === 0) answer(undefined);
        return list.render(width);
      },
      handle(data) {
        const isExtra = data === extra?.key && list.focused !== undefined;
        if (isExtra) extra.run(list.focused.value);
        const done = isExtra || matchesKey(data, 'escape') ? { chosen: undefined } : list.handle(data);
        if (done && 'chosen' in done) answer(done.chosen);
      },
    };
    super(theme, facts, part, (width) => [
      ...changesLines(theme, changes, width),
      ...(facts.note === undefined ? [] : ['', ...wrap(facts.note, proseWidth(width)).map(theme.paint.muted)]),
    ]);
    this.givesWay = facts.givesWay ?? false;
  }
}

const labelled = (item: Choice) => ({ ...item, label: item.label ?? item.value });
