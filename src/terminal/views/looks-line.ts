import { visibleWidth } from '@earendil-works/pi-tui';
import type { ToolDisplay } from '../../contract/tool.js';
import { counted } from '../../platform/text/counted.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut } from './fit.js';

const NAMED_FILES = 3; // more are counted

type Look = NonNullable<ToolDisplay['looks']>;

const verbs: Readonly<Record<Look, readonly [done: string, running: string]>> = {
  read: ['read', 'reading'],
  search: ['searched', 'searching'],
  list: ['listed', 'listing'],
};

/** Several calls that only look, as one line: `Read 4 files, searched "total" (6 matching lines in 3 files)`. */
export function looksLine(
  theme: Theme,
  displays: readonly ToolDisplay[],
  { isRunning, width, shorten }: { isRunning: boolean; width: number; shorten(text: string): string },
): string {
  const { paint } = theme;
  const parts = (['read', 'search', 'list'] as const)
    .map((look) => ({ look, calls: displays.filter(({ looks }) => looks === look) }))
    .filter(({ calls }) => calls.length > 0)
    .sort(
      (one, other) =>
        displays.findIndex(({ looks }) => looks === one.look) - displays.findIndex(({ looks }) => looks === other.look),
    );
  const sign = isRunning ? paint.accent('●') : paint.success('✓');
  const drawn = (isShort: boolean): string =>
    parts
      .map(({ look, calls }, index) => {
        const [done, running] = verbs[look];
        const verb = isRunning ? running : done;
        const name = index === 0 ? paint.strong(`${verb.charAt(0).toUpperCase()}${verb.slice(1)}`) : verb;
        return `${name} ${subjects(theme, look, calls, isShort, shorten)}`;
      })
      .join(', ');
  const long = `${sign} ${drawn(false)}`;
  return visibleWidth(long) <= width ? long : cut(`${sign} ${drawn(true)}`, width);
}

function subjects(
  { paint }: Theme,
  look: Look,
  calls: readonly ToolDisplay[],
  isShort: boolean,
  shorten: (text: string) => string,
): string {
  if (look !== 'search') {
    const what = look === 'read' ? 'file' : 'folder';
    const names = [...new Set(calls.map(({ title, file = title }) => cleanLine(shorten(file))))];
    if (calls.length === 1) return cleanLine(shorten(calls[0]?.title ?? ''));
    return names.length > NAMED_FILES || (isShort && names.length > 1) ? counted(names.length, what) : names.join(', ');
  }
  // The same search again is one search, with what it found last.
  return [...new Map(calls.map((call) => [call.title, call])).values()]
    .map(({ title, facts = [] }) => {
      const found = facts.length === 0 || isShort ? '' : paint.muted(` (${facts.map(cleanLine).join(', ')})`);
      return `${quoted(cleanLine(shorten(title)))}${found}`;
    })
    .join(', ');
}

/** `total in src` as `"total" in src`. */
function quoted(title: string): string {
  const at = title.lastIndexOf(' in ');
  return at > 0 ? `"${title.slice(0, at)}"${title.slice(at)}` : `"${title}"`;
}
