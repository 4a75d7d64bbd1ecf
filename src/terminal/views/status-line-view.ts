import { type Component, visibleWidth } from '@earendil-works/pi-tui';
import type { PermissionMode } from '../../contract/permission.js';
import type { Role, Theme } from '../screen/theme.js';
import { cleanLine, cut, fitMiddle, shortCost, shortCount } from './fit.js';
import { outputLines } from './output-lines.js';

const MAX_COMMAND_LINES = 3;
const BAR_COLUMNS = 10;

export interface StatusFacts {
  /** "provider/name"; undefined if none is set up. */
  model?: string | undefined;
  mode: PermissionMode;
  /** As displayed, with `~` for the home folder. */
  directory: string;
  branch?: string | undefined;
  /** Tokens. */
  context?: { used: number; window: number } | undefined;
  /** Undefined if unknown. */
  sandbox?: boolean | undefined;
  /** Whether the kernel confines commands that run without a question; undefined until that is known. */
  walls?: 'full' | 'none' | undefined;
  /** In US dollars; null if unknown. */
  costUsd?: number | null | undefined;
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
    const separator = ' · ';
    const forms = parts.map(() => 0);
    const shown = (): Array<{ text: string; role: Role }> =>
      parts
        .map(({ texts, role }, index) => ({ text: texts[forms[index] ?? 0] ?? '', role }))
        .filter(({ text }) => text !== '');
    const columns = (): number =>
      visibleWidth(
        shown()
          .map(({ text }) => text)
          .join(separator),
      );
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
    return cut(
      shown()
        .map(({ text, role }) => paint[role](text))
        .join(paint.border(separator)),
      width,
    );
  }
}

interface Part {
  /** From the longest to the shortest; an empty one hides the part. */
  texts: readonly string[];
  role: Role;
  /** Its importance. */
  weight: number;
}

function partsOf({ model, mode, directory, branch, context, sandbox, walls, costUsd }: StatusFacts): Part[] {
  const parts: Part[] = [];
  const name = cleanLine(model ?? 'no model');
  const short = name.slice(name.lastIndexOf('/') + 1);
  parts.push({ texts: [name, short, cut(short, 12)], role: model === undefined ? 'warning' : 'accent', weight: 4 });
  const [long, brief, role] = modes[mode];
  parts.push({ texts: [long, brief], role, weight: 6 });
  const place = cleanLine(directory);
  const bare = place.replace(/(?<![\\/])[\\/]+$/, '');
  const last = place.slice(Math.max(bare.lastIndexOf('/'), bare.lastIndexOf('\\')) + 1);
  parts.push({
    texts: [fitMiddle(place, 40), fitMiddle(place, 20), cut(last || place, 12), ''],
    role: 'muted',
    weight: 2,
  });
  if (branch !== undefined) {
    const clean = cleanLine(branch);
    parts.push({ texts: [`⎇ ${clean}`, cut(clean, 14), cut(clean, 8), ''], role: 'muted', weight: 1 });
  }
  if (context && context.window > 0) {
    const share = Math.min(1, Math.max(0, context.used / context.window));
    const percent = `${Math.round(share * 100)}%`;
    const whole = `${bar(share, BAR_COLUMNS)} ${percent} of ${shortCount(context.window)}`;
    parts.push({
      texts: [whole, `${bar(share, 5)} ${percent}`, percent],
      role: share >= 0.8 ? 'warning' : 'muted',
      weight: 5,
    });
  }
  parts.push(...confinedPart(sandbox, walls));
  if (costUsd !== undefined && costUsd !== null && costUsd > 0) {
    parts.push({ texts: [shortCost(costUsd), ''], role: 'muted', weight: 0 });
  }
  return parts;
}

/** Which commands are confined: approved ones by the sandbox, those without a question by the kernel. */
function confinedPart(sandbox: boolean | undefined, walls: StatusFacts['walls']): Part[] {
  if (sandbox) {
    const [which, brief] = walls === 'none' ? ['approved commands', 'approved'] : ['all commands', 'all'];
    return [{ texts: [`confined: ${which}`, `confined: ${brief}`, 'confined'], role: 'muted', weight: 3 }];
  }
  if (walls === undefined) return [];
  return walls === 'full'
    ? [{ texts: ['confined: unasked commands', 'confined: unasked', ''], role: 'muted', weight: 0.5 }]
    : [{ texts: ['confined: none', 'unconfined'], role: 'warning', weight: 3.5 }];
}

/** A progress bar. */
export function bar(share: number, columns: number): string {
  const full = Math.min(columns, Math.round(share * columns));
  return `${'█'.repeat(full)}${'░'.repeat(columns - full)}`;
}

const modes: Readonly<Record<PermissionMode, readonly [long: string, brief: string, role: Role]>> = {
  default: ['default', 'default', 'muted'],
  acceptEdits: ['accept edits', 'edits', 'success'],
  plan: ['plan', 'plan', 'accent'],
  dontAsk: ["don't ask", "don't ask", 'muted'],
  bypassPermissions: ['bypass permissions', 'bypass', 'failure'],
};
