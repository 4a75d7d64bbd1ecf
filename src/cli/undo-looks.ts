import { describeUndoItem, undoItemParts } from '../agent/undo/describe-undo.js';
import type { UndoItem } from '../agent/undo/undo.js';
import { visible } from '../platform/text/visible.js';

/** How `helve undo` draws: with colours and line numbers on a terminal, as a plain patch elsewhere. */
export interface UndoLooks {
  muted(text: string): string;
  changes(items: readonly UndoItem[], cwd: string): string[];
}

/** `width`: the columns of the terminal; undefined without one. */
export async function undoLooks({
  env,
  width,
}: {
  env: Readonly<Record<string, string | undefined>>;
  width?: number | undefined;
}): Promise<UndoLooks> {
  if (width === undefined) {
    return {
      muted: (text) => text,
      changes: (items, cwd) => items.map((item) => visible(describeUndoItem(item, cwd))),
    };
  }
  const { changesLines } = await import('../terminal/views/changes-view.js');
  const { chooseTheme, Theme } = await import('../terminal/screen/theme.js');
  const theme = new Theme(chooseTheme({ env }));
  return {
    muted: (text) => theme.paint.muted(text),
    changes(items, cwd) {
      const parts = items.map((item) => undoItemParts(item, cwd));
      return items.length === 0 ? [] : ['', ...changesLines(theme, parts, width), ''];
    },
  };
}
