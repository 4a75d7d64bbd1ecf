import type { Component } from '@earendil-works/pi-tui';
import type { Role, Theme } from '../screen/theme.js';
import { cleanLines, wrap } from './fit.js';

/** How a call would be decided: the answer, the risks, and each part with its own answer. */
export class ExplanationView implements Component {
  readonly #theme: Theme;
  readonly #lines: readonly string[];

  constructor(theme: Theme, text: string) {
    this.#theme = theme;
    this.#lines = cleanLines(text);
  }

  invalidate(): void {}

  render(width: number): string[] {
    return this.#lines.flatMap((line, index) => {
      const drawn = index === 0 ? this.#headline(line) : this.#part(line);
      const [, indent = ''] = /^( *)/.exec(line) ?? [];
      return wrap(drawn, width, indent === '' ? '' : `${indent}  `);
    });
  }

  #headline(line: string): string {
    const { paint } = this.#theme;
    const [, verdict = '', rest = line] = /^(Allowed|Asks first|Denied)(:[\s\S]*)$/.exec(line) ?? [];
    const role = verdicts[verdict];
    return role === undefined ? line : `${paint[role](paint.strong(verdict))}${rest}`;
  }

  #part(line: string): string {
    const { paint } = this.#theme;
    const [, indent = '', risk, about = ''] = /^( *)(!!|!|▲|△) +([\s\S]*)$/.exec(line) ?? [];
    if (risk !== undefined) {
      const isHigh = risk === '!!' || risk === '▲';
      return `${indent}${paint[isHigh ? 'failure' : 'warning'](`${isHigh ? '▲' : '△'} ${about}`)}`;
    }
    const [, before = '', sign = '', rest = ''] = /^( *)([✓?✗])( [\s\S]*)$/.exec(line) ?? [];
    const role = signs[sign];
    if (role !== undefined) return `${before}${paint[role](sign)}${rest}`;
    return paint.muted(line);
  }
}

const verdicts: Readonly<Record<string, Role>> = { Allowed: 'success', 'Asks first': 'warning', Denied: 'failure' };

const signs: Readonly<Record<string, Role>> = { '✓': 'success', '?': 'warning', '✗': 'failure' };
