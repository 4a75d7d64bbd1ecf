import type { Component } from '@earendil-works/pi-tui';
import { grouped } from '../../platform/text/digits.js';
import type { ShownContext } from '../contract.js';
import type { Role, Theme } from '../screen/theme.js';
import { cleanLine, cut } from './fit.js';

const ROWS = 3;
const MAX_COLUMNS = 60;

/** The use of the context window: a block of cells, and a legend. */
export class ContextView implements Component {
  readonly #theme: Theme;
  readonly #context: ShownContext;
  readonly #isPlain: boolean;

  constructor(theme: Theme, context: ShownContext, { isPlain = false }: { isPlain?: boolean } = {}) {
    this.#theme = theme;
    this.#context = context;
    this.#isPlain = isPlain;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { paint } = this.#theme;
    const { total, window } = this.#context;
    const columns = Math.max(1, Math.min(width, MAX_COLUMNS));
    const kinds = kindsOf(this.#context, this.#theme);
    const cells = cellsOf(kinds, columns * ROWS, window);
    const rows = Array.from({ length: ROWS }, (_, row) =>
      painted(cells.slice(row * columns, (row + 1) * columns), this.#theme),
    );
    const head = `${paint.strong('Context')} ${grouped(total)} of ${grouped(window)} tokens (${percent(total, window)})`;
    const digits = Math.max(...kinds.map(({ tokens }) => grouped(tokens).length));
    const legend = kinds.map(({ sign, role, name, tokens }) => {
      const share = percent(tokens, window).padStart(6);
      const mark = this.#isPlain ? '' : `${paint[role](sign)} `;
      return cut(`${mark}${name.padEnd(14)} ${grouped(tokens).padStart(digits)} ${share}`, width);
    });
    const advice = paint.muted(cut('To free context: /compact, or /clear for a new conversation', width));
    const picture = this.#isPlain ? [] : ['', ...rows];
    return [cut(head, width), ...picture, '', ...legend, ...this.#details(width), '', advice];
  }

  /** What the categories consist of, the largest first. */
  #details(width: number): string[] {
    const { details = [] } = this.#context;
    const { paint } = this.#theme;
    return details.flatMap(({ title, items: estimated }) => {
      const items = estimated.map(({ name, tokens }) => ({ name, tokens: Math.round(tokens) }));
      const digits = Math.max(...items.map(({ tokens }) => grouped(tokens).length));
      return [
        '',
        cut(paint.strong(title), width),
        ...items.map(({ name, tokens }) => cut(`  ${grouped(tokens).padStart(digits)}  ${cleanLine(name)}`, width)),
      ];
    });
  }
}

interface Kind {
  name: string;
  sign: string;
  role: Role;
  tokens: number;
}

function kindsOf(
  { system, tools, messages, results, total, window, free }: ShownContext,
  { hasColors }: Pick<Theme, 'hasColors'>,
): Kind[] {
  // A shaded cell mixes its colour with the background, so shades only stand in for colours.
  const full = (shade: string): string => (hasColors ? '█' : shade);
  return [
    { name: 'instructions', sign: '█', role: 'accent', tokens: system },
    { name: 'tools', sign: full('▓'), role: 'keyword', tokens: tools },
    { name: 'messages', sign: full('▒'), role: 'success', tokens: messages },
    { name: 'tool results', sign: full('░'), role: 'link', tokens: results },
    { name: 'for the answer', sign: '╌', role: 'muted', tokens: Math.max(0, window - total - free) },
    { name: 'free', sign: '·', role: 'muted', tokens: Math.max(0, free) },
  ];
}

/** Every kind gets at least one cell, so that none is invisible; free cells are reduced for that. */
function cellsOf(kinds: readonly Kind[], count: number, window: number): Kind[] {
  const cells: Kind[] = [];
  for (const kind of kinds.slice(0, -1)) {
    const share = kind.tokens === 0 || window <= 0 ? 0 : Math.max(1, Math.round((kind.tokens / window) * count));
    for (let cell = 0; cell < share && cells.length < count; cell += 1) cells.push(kind);
  }
  const free = kinds.at(-1);
  while (free && cells.length < count) cells.push(free);
  return cells;
}

/** Adjacent cells of one kind are painted together. */
function painted(cells: readonly Kind[], { paint }: Theme): string {
  let line = '';
  for (let start = 0; start < cells.length; ) {
    const kind = cells[start];
    let end = start;
    while (end < cells.length && cells[end] === kind) end += 1;
    if (kind) line += paint[kind.role](kind.sign.repeat(end - start));
    start = end;
  }
  return line;
}

/** With a decimal below ten, so that small parts of a large window can be told apart. */
function percent(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0%';
  const share = (part / whole) * 100;
  if (share < 0.1) return '<0.1%';
  return share < 10 ? `${share.toFixed(1)}%` : `${Math.round(share)}%`;
}
