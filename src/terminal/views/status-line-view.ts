import { type Component, visibleWidth } from '@earendil-works/pi-tui';
import type { PermissionMode } from '../../contract/permission.js';
import { shortCost, shortCount } from '../../platform/text/short-amounts.js';
import { modeRoles } from '../screen/mode-roles.js';
import type { Role, Theme } from '../screen/theme.js';
import { cleanLine, cut, fitMiddle, spread } from './fit.js';
import { outputLines } from './output-lines.js';

const MAX_COMMAND_LINES = 3;
const SEPARATOR = ' · ';
const GAP = 2;
const SHOWN_SHARE = 0.1; // of the context window; less does not matter yet
const WARNING_SHARE = 0.8;
const LEAST_COST = 0.005; // less would be shown as nothing

export interface StatusFacts {
  /** "provider/name"; null if none is set up, undefined until that is known. */
  model?: string | null | undefined;
  mode: PermissionMode;
  /** The key that changes the mode. */
  modeKey?: string | undefined;
  /** As displayed, with `~` for the home folder. */
  directory: string;
  branch?: string | undefined;
  /** Tokens. */
  context?: { used: number; window: number } | undefined;
  /** Whether the sandbox of the settings is on, which is not the default. */
  sandbox?: boolean | undefined;
  /** In US dollars; null if unknown. */
  costUsd?: number | null | undefined;
  /** What can be pressed now. */
  hint?: string | undefined;
}

/** The session's state on one line, or the output of the user's own command. */
export class StatusLineView implements Component {
  readonly #theme: Theme;
  #facts: StatusFacts;
  #output: string | undefined;

  constructor(theme: Theme, facts: StatusFacts) {
    this.#theme = theme;
    this.#facts = facts;
  }

  update(facts: Partial<StatusFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  /** The output of the user's command; undefined removes it. */
  showOutput(text: string | undefined): void {
    this.#output = text;
  }

  invalidate(): void {}

  render(width: number): string[] {
    if (this.#output !== undefined)
      return outputLines(this.#theme, this.#output, width, { lines: MAX_COMMAND_LINES }).lines;
    return [this.#line(width)];
  }

  /** Starts with every part in its longest form, then shortens them, the least important first, until all fit. */
  #line(width: number): string {
    const parts = partsOf(this.#facts);
    const forms = parts.map(() => 0);
    const shown = (side: Part['side']): Array<{ text: string; role: Role }> =>
      parts
        .map((part, index) => ({ ...part, text: part.texts[forms[index] ?? 0] ?? '' }))
        .filter((part) => part.side === side && part.text !== '');
    const columnsOf = (side: Part['side']): number => visibleWidth(textsOf(shown(side)).join(SEPARATOR));
    const columns = (): number => columnsOf('left') + (columnsOf('right') > 0 ? columnsOf('right') + GAP : 0);
    const order = parts
      .map((_, index) => index)
      .sort((one, other) => (parts[one]?.weight ?? 0) - (parts[other]?.weight ?? 0));
    for (const step of [1, 2, 3]) {
      for (const index of order) {
        if (columns() <= width) break;
        if (step < (parts[index]?.texts.length ?? 0)) forms[index] = step;
      }
    }
    const { paint } = this.#theme;
    const painted = (side: Part['side']): string =>
      shown(side)
        .map(({ text, role }) => paint[role](text))
        .join(paint.border(SEPARATOR));
    const right = painted('right');
    return right === '' ? cut(painted('left'), width) : spread(painted('left'), right, width);
  }
}

const textsOf = (parts: ReadonlyArray<{ text: string }>): string[] => parts.map(({ text }) => text);

interface Part {
  /** From the longest to the shortest; an empty one hides the part. */
  texts: readonly string[];
  role: Role;
  /** Its importance. */
  weight: number;
  side: 'left' | 'right';
}

function partsOf(facts: StatusFacts): Part[] {
  const { model, mode, modeKey, directory, branch, context, sandbox, costUsd, hint } = facts;
  const parts: Part[] = [];
  if (model === null) {
    parts.push({ texts: ['no model: /model chooses one', 'no model'], role: 'muted', weight: 4, side: 'left' });
  } else if (model !== undefined) {
    const short = shortModel(cleanLine(model));
    const texts = [short, short, short, short.replace(/^claude-/, '')];
    parts.push({ texts, role: 'user', weight: 9, side: 'left' });
  }
  const [long, brief] = modes[mode];
  parts.push({ texts: [long, long, brief], role: modeRoles[mode], weight: 6, side: 'left' });
  const place = cleanLine(directory);
  const bare = place.replace(/(?<![\\/])[\\/]+$/, '');
  const last = place.slice(Math.max(bare.lastIndexOf('/'), bare.lastIndexOf('\\')) + 1);
  parts.push({
    texts: [fitMiddle(place, 40), fitMiddle(place, 20), cut(last || place, 12), ''],
    role: 'muted',
    weight: 2,
    side: 'left',
  });
  if (branch !== undefined) {
    const clean = cleanLine(branch);
    parts.push({ texts: [`⎇ ${clean}`, cut(clean, 14), cut(clean, 8), ''], role: 'muted', weight: 1, side: 'left' });
  }
  if (sandbox) parts.push({ texts: ['sandbox on', 'sandbox'], role: 'muted', weight: 3, side: 'left' });
  const change = modeKey !== undefined && long !== '' ? [`${modeKey} to change the mode · ${hint}`] : [];
  if (hint !== undefined) parts.push({ texts: [...change, hint, ''], role: 'muted', weight: 0, side: 'right' });
  if (context && context.window > 0) {
    const share = Math.min(1, Math.max(0, context.used / context.window));
    const percent = `${Math.round(share * 100)}%`;
    if (share >= SHOWN_SHARE) {
      const texts = [`${percent} of ${shortCount(context.window)} context`, `${percent} context`, percent];
      parts.push({ texts, role: share >= WARNING_SHARE ? 'warning' : 'muted', weight: 5, side: 'right' });
    }
  }
  if (costUsd !== undefined && costUsd !== null && costUsd >= LEAST_COST) {
    const cost = shortCost(costUsd);
    parts.push({ texts: [cost, cost, cost, ''], role: 'muted', weight: 4.5, side: 'right' });
  }
  return parts;
}

/** Without the provider and the date of its release, which /status has. */
export const shortModel = (model: string): string => model.slice(model.lastIndexOf('/') + 1).replace(/-20\d{6}$/, '');

/** The words for a mode, with its own sign. The default needs none: it asks. */
const modes: Readonly<Record<PermissionMode, readonly [long: string, brief: string]>> = {
  default: ['', ''],
  acceptEdits: ['✎ accept edits', '✎ edits'],
  plan: ['◇ plan mode', '◇ plan'],
  dontAsk: ["⊘ don't ask", "⊘ don't ask"],
  bypassPermissions: ['! bypass permissions', '! bypass'],
};
