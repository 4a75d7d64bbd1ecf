import { visibleWidth } from '@earendil-works/pi-tui';
import type { ToolDisplay } from '../../contract/tool.js';
import { type LooksForm, looksWords } from '../../display/looks-words.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut } from './fit.js';

const FEW_NAMES = 3;

/** Several calls that only look, as one line: `Read 4 files, searched "total" (6 matching lines in 3 files)`. */
export function looksLine(
  theme: Theme,
  displays: readonly ToolDisplay[],
  { isRunning, width, shorten }: { isRunning: boolean; width: number; shorten(text: string): string },
): string {
  const { paint } = theme;
  const sign = isRunning ? paint.accent('●') : paint.success('✓');
  const shown = (text: string): string => cleanLine(shorten(text));
  const drawn = (form: LooksForm): string => {
    const said = looksWords(displays, { isRunning, form, shown }).map(({ verb, subjects }, index) => {
      const words = subjects.map(
        ({ text, aside }) => `${text}${aside === undefined ? '' : paint.muted(` (${aside})`)}`,
      );
      return `${index === 0 ? paint.strong(verb) : verb} ${words.join(', ')}`;
    });
    return `${sign} ${said.join(paint.muted(' · '))}`;
  };
  const lines = forms.map(drawn);
  return lines.find((line) => visibleWidth(line) <= width) ?? cut(lines.at(-1) ?? '', width);
}

/** From the longest to the shortest: names are kept as long as they fit. */
const forms: readonly LooksForm[] = [
  { hasFacts: true, names: Number.POSITIVE_INFINITY },
  { hasFacts: false, names: Number.POSITIVE_INFINITY },
  { hasFacts: true, names: FEW_NAMES },
  { hasFacts: false, names: FEW_NAMES },
  { hasFacts: false, names: 1 },
];
