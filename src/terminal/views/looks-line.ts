import { visibleWidth } from '@earendil-works/pi-tui';
import type { ToolDisplay } from '../../contract/tool.js';
import { counted } from '../../platform/text/counted.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut } from './fit.js';

const FEW_NAMES = 3;

type Look = NonNullable<ToolDisplay['looks']>;

const verbs: Readonly<Record<Look, readonly [done: string, running: string]>> = {
  read: ['read', 'reading'],
  search: ['searched', 'searching'],
  find: ['found', 'finding'],
  list: ['listed', 'listing'],
};

/** Several calls that only look, as one line: `Read 4 files, searched "total" (6 matching lines in 3 files)`. */
export function looksLine(
  theme: Theme,
  displays: readonly ToolDisplay[],
  { isRunning, width, shorten }: { isRunning: boolean; width: number; shorten(text: string): string },
): string {
  const { paint } = theme;
  const parts = (['read', 'search', 'find', 'list'] as const)
    .map((look) => ({ look, calls: displays.filter(({ looks }) => looks === look) }))
    .filter(({ calls }) => calls.length > 0)
    .sort(
      (one, other) =>
        displays.findIndex(({ looks }) => looks === one.look) - displays.findIndex(({ looks }) => looks === other.look),
    );
  const sign = isRunning ? paint.accent('●') : paint.success('✓');
  const drawn = (form: Form): string => {
    const said = parts.map(({ look, calls }, index) => {
      const [done, running] = verbs[look];
      const verb = isRunning ? running : done;
      const name = index === 0 ? paint.strong(`${verb.charAt(0).toUpperCase()}${verb.slice(1)}`) : verb;
      return `${name} ${subjects(theme, look, calls, form, shorten)}`;
    });
    return `${sign} ${said.join(paint.muted(' · '))}`;
  };
  const lines = forms.map(drawn);
  return lines.find((line) => visibleWidth(line) <= width) ?? cut(lines.at(-1) ?? '', width);
}

interface Form {
  hasFacts: boolean;
  /** How many names there are at most; more are counted. */
  names: number;
}

/** From the longest to the shortest: names are kept as long as they fit. */
const forms: readonly Form[] = [
  { hasFacts: true, names: Number.POSITIVE_INFINITY },
  { hasFacts: false, names: Number.POSITIVE_INFINITY },
  { hasFacts: true, names: FEW_NAMES },
  { hasFacts: false, names: FEW_NAMES },
  { hasFacts: false, names: 1 },
];

function subjects(
  { paint }: Theme,
  look: Look,
  calls: readonly ToolDisplay[],
  { hasFacts, names: most }: Form,
  shorten: (text: string) => string,
): string {
  if (look === 'read' || look === 'list') {
    const names = [...new Set(calls.map(({ title, file = title }) => cleanLine(shorten(file))))];
    if (calls.length === 1) return cleanLine(shorten(calls[0]?.title ?? ''));
    return names.length > most ? counted(names.length, look === 'read' ? 'file' : 'folder') : names.join(', ');
  }
  // The same search again is one search, with what it found last.
  return [...new Map(calls.map((call) => [call.title, call])).values()]
    .map(({ title, facts = [] }) => {
      const found = facts.length === 0 || !hasFacts ? '' : paint.muted(` (${facts.map(cleanLine).join(', ')})`);
      const subject = cleanLine(shorten(title));
      return `${look === 'find' ? subject : quoted(subject)}${found}`;
    })
    .join(', ');
}

/** `total in src` as `"total" in src`. */
function quoted(title: string): string {
  const at = title.lastIndexOf(' in ');
  return at > 0 ? `"${title.slice(0, at)}"${title.slice(at)}` : `"${title}"`;
}
