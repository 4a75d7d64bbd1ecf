import type { Component } from '@earendil-works/pi-tui';
import type { PermissionMode } from '../../contract/permission.js';
import { modeRoles } from '../screen/mode-roles.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut, fitMiddle } from './fit.js';

/** An axe, of which the handle is called helve. */
const MARK = [
  ['▟█', '▌'],
  ['▜█', '▌'],
  ['  ', '▌'],
] as const;
const HINTS = '/ for commands · @ for files';
const WAITING = 'first, a question about this folder';

export interface StartFacts {
  /** "provider/name"; undefined if none is set up. */
  model: string | undefined;
  mode: PermissionMode;
}

/** The first lines on the screen. What is not known yet when they are drawn gets its place, so that nothing moves. */
export class StartView implements Component {
  readonly #theme: Theme;
  readonly #version: string;
  readonly #directory: string;
  #facts: StartFacts | undefined;
  #isWaiting = false;

  /** `directory` is as displayed, with `~` for the home folder. */
  constructor(theme: Theme, { version, directory }: { version: string; directory: string }) {
    this.#theme = theme;
    this.#version = version;
    this.#directory = directory;
  }

  /** The user is asked about the folder before the model is known. */
  wait(): this {
    this.#isWaiting = true;
    return this;
  }

  update(facts: StartFacts): void {
    this.#facts = facts;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { paint } = this.#theme;
    const room = Math.max(1, width - 6);
    const lines = [
      `${paint.strong('Helve')} ${paint.muted(this.#version)}`,
      paint.muted(fitMiddle(cleanLine(this.#directory), room)),
      this.#model(),
    ];
    return [
      '',
      ...lines.map((line, row) => {
        const [head = '', helve = ''] = MARK[row] ?? [];
        return cut(` ${paint.muted(head)}${paint.accent(helve)}  ${line}`, width).trimEnd();
      }),
      '',
      paint.muted(cut(` ${HINTS}`, width)),
    ];
  }

  #model(): string {
    const { paint } = this.#theme;
    if (!this.#facts) return this.#isWaiting ? paint.muted(WAITING) : '';
    const { model, mode } = this.#facts;
    if (model === undefined) return `${paint.warning('no model')}${paint.muted(' · /model chooses one')}`;
    const name = cleanLine(model.slice(model.indexOf('/') + 1));
    return `${name}${paint.muted(' · ')}${paint[modeRoles[mode]](modeWords[mode])}`;
  }
}

const modeWords: Readonly<Record<PermissionMode, string>> = {
  default: 'asks before it changes anything',
  acceptEdits: 'edits files without asking',
  plan: 'plans first, changes nothing',
  dontAsk: 'refuses what it would have to ask for',
  bypassPermissions: 'does everything without asking',
};
