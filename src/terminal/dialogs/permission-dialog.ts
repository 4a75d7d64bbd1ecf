import { matchesKey } from '@earendil-works/pi-tui';
import type { Decision, PermissionAnswer, PermissionQuestion, TrailEntry } from '../../contract/permission.js';
import { reasonForPeople } from '../../permissions/detect-injection.js';
import { counted } from '../../platform/text/counted.js';
import type { Theme } from '../screen/theme.js';
import { bodyLines } from '../views/body-lines.js';
import { cleanLine, cut, wrap } from '../views/fit.js';
import { ChoiceList, type ListedChoice } from './choice-list.js';
import { type Dialog, titleLine } from './dialog.js';
import { effectLines } from './effect-lines.js';
import { markedLines } from './mark-parts.js';
import { TextField } from './text-field.js';

const MAX_BODY_LINES = 20;
const MAX_EFFECT_LINES = 6;
const INDENT = '  ';

type Way = 'once' | 'session' | 'always' | 'edit' | 'acceptEdits' | 'no';

/** The user's current step: choosing, editing the rules one by one, or giving a reason. */
type Stage =
  | { name: 'choosing' }
  | { name: 'editing'; field: TextField; done: readonly string[]; left: readonly string[] }
  | { name: 'refusing'; field: TextField };

/**
 * Asks whether a call may run. Everything that the answer depends on is shown as it really is: paths, parts, reasons,
 * rules.
 */
export class PermissionDialog implements Dialog {
  readonly #theme: Theme;
  readonly #question: PermissionQuestion;
  readonly #answer: (answer: PermissionAnswer) => void;
  readonly #rules: readonly string[];
  readonly #list: ChoiceList<Way>;
  #stage: Stage = { name: 'choosing' };
  #isExpanded = false;
  #focused = false;
  #drawn: { width: number; lines: readonly string[] } | undefined;

  constructor(theme: Theme, question: PermissionQuestion, answer: (answer: PermissionAnswer) => void) {
    this.#theme = theme;
    this.#question = question;
    this.#answer = answer;
    // A rule with invisible characters can't be agreed to.
    this.#rules = question.suggestions.filter((rule) => cleanLine(rule) === rule);
    this.#list = new ChoiceList(theme, this.#choices());
  }

  get hint(): string {
    if (this.#stage.name === 'editing') return 'enter to keep · empty to drop · esc to go back';
    if (this.#stage.name === 'refusing') return 'enter to send · esc to go back';
    return `↑↓ enter · esc for no${this.#isCut() ? ' · ctrl+o for all of it' : ''}`;
  }

  get takesText(): boolean {
    return this.#stage.name !== 'choosing';
  }

  get focused(): boolean {
    return this.#focused;
  }

  set focused(value: boolean) {
    this.#focused = value;
    if (this.#stage.name !== 'choosing') this.#stage.field.focused = value;
  }

  invalidate(): void {
    this.#drawn = undefined;
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'ctrl+o')) {
      this.#isExpanded = !this.#isExpanded;
      this.#drawn = undefined;
      return;
    }
    if (this.#stage.name === 'choosing') {
      this.#choose(data);
      return;
    }
    const done = this.#stage.field.handle(data);
    if (!done) return;
    if ('left' in done) this.#stage = { name: 'choosing' };
    else if (this.#stage.name === 'refusing') this.#refuse(done.submitted);
    else this.#keepRule(done.submitted.trim(), this.#stage.done, this.#stage.left);
  }

  render(width: number): string[] {
    return [...this.#above(width), ...this.#asking(width)];
  }

  /** Everything except the choices; cached, since it does not change while the user thinks. */
  #above(width: number): readonly string[] {
    if (this.#drawn?.width === width) return this.#drawn.lines;
    const room = Math.max(1, width - INDENT.length);
    const { tool, agent } = this.#question;
    const whose = agent ? ` (agent ${agent.type})` : '';
    const effects = [...this.#effects(room), ...this.#confinement(room)];
    const sections = [this.#subject(room), effects, this.#why(room)].filter((lines) => lines.length > 0);
    const lines = [
      titleLine(this.#theme, `Allow ${tool}?${whose}`, width),
      ...sections.flatMap((section) => [...section.map((line) => `${INDENT}${line}`.trimEnd()), '']),
    ];
    this.#drawn = { width, lines };
    return lines;
  }

  #choices(): ReadonlyArray<ListedChoice<Way>> {
    const { effects } = this.#question;
    const rules = this.#rules.join(', ');
    const remembered: ReadonlyArray<ListedChoice<Way>> =
      this.#rules.length === 0
        ? []
        : [
            { value: 'session', key: 's', label: 'Yes, for this session', description: rules },
            { value: 'always', key: 'a', label: 'Yes, always', description: rules },
            { value: 'edit', key: 'e', label: 'Yes, always, but change the rule first' },
          ];
    const isEdit = effects.every(
      (effect) => effect.kind === 'file' || (effect.kind === 'session' && effect.access === 'read'),
    );
    const writes = effects.some((effect) => effect.kind === 'file' && effect.access === 'write' && !effect.removes);
    const edits: ReadonlyArray<ListedChoice<Way>> =
      isEdit && writes ? [{ value: 'acceptEdits', key: 'm', label: 'Yes, and accept edits from now on' }] : [];
    return [
      { value: 'once', key: 'y', label: 'Yes, this once' },
      ...edits,
      ...remembered,
      { value: 'no', key: 'n', label: 'No, and say what to do instead' },
    ];
  }

  #choose(data: string): void {
    if (matchesKey(data, 'escape')) {
      this.#answer({ behavior: 'deny' });
      return;
    }
    const done = this.#list.handle(data);
    if (!done || !('chosen' in done)) return;
    switch (done.chosen) {
      case 'once':
        this.#answer({ behavior: 'allow' });
        return;
      case 'acceptEdits':
        this.#answer({ behavior: 'allow', mode: 'acceptEdits' });
        return;
      case 'session':
      case 'always':
        this.#answer({ behavior: 'allow', remember: { rules: this.#rules, scope: done.chosen } });
        return;
      case 'edit':
        this.#editNext([], this.#rules);
        return;
      case 'no':
        this.#stage = { name: 'refusing', field: this.#field('') };
    }
  }

  #field(text: string): TextField {
    const field = new TextField({ text });
    field.focused = this.#focused;
    return field;
  }

  #editNext(done: readonly string[], left: readonly string[]): void {
    this.#stage = { name: 'editing', field: this.#field(left[0] ?? ''), done, left };
  }

  #keepRule(rule: string, before: readonly string[], left: readonly string[]): void {
    const done = rule === '' ? before : [...before, rule];
    const rest = left.slice(1);
    if (rest.length > 0) {
      this.#editNext(done, rest);
      return;
    }
    this.#answer(
      done.length === 0 ? { behavior: 'allow' } : { behavior: 'allow', remember: { rules: done, scope: 'always' } },
    );
  }

  #refuse(words: string): void {
    const reason = words.trim();
    this.#answer(reason === '' ? { behavior: 'deny' } : { behavior: 'deny', reason });
  }

  /** The diff, or the command with the deciding parts highlighted. */
  #subject(width: number): string[] {
    const { display } = this.#question;
    const title = cleanLine(display.title);
    const { body } = display;
    if (!body) return title === '' ? [] : markedLines(this.#theme, display.title, this.#decidingParts(), width);
    if (body.type === 'text') {
      const lines = markedLines(this.#theme, body.text, this.#decidingParts(), width);
      const head = body.text.startsWith(display.title.replace(/ …$/, '')) ? [] : wrap(title, width);
      return [...head, ...this.#cut(lines, MAX_BODY_LINES)];
    }
    const { lines, hidden } = bodyLines(this.#theme, body, width, { isExpanded: true });
    const more = hidden > 0 ? [`… ${counted(hidden, 'more line')}`] : [];
    return [...wrap(title, width), ...this.#cut([...lines, ...more], MAX_BODY_LINES)];
  }

  #effects(width: number): string[] {
    const { effects, decision } = this.#question;
    const ground = decision.trail?.find(({ decided }) => decided);
    return this.#cut(
      effectLines(this.#theme, effects, { width, deciding: effects[ground?.effect ?? -1] }),
      MAX_EFFECT_LINES,
    );
  }

  /** How the command will be confined once it is approved. */
  #confinement(width: number): string[] {
    const { confinement } = this.#question;
    return confinement === undefined ? [] : wrap(cleanLine(confinement), width, INDENT).map(this.#theme.paint.muted);
  }

  #why(width: number): string[] {
    const { paint } = this.#theme;
    const { decision, reason } = this.#question;
    const words = cleanLine(reasonForPeople({ ...decision, reason }));
    const lines = this.#repeatsEffect() ? [] : wrap(`Why it asks: ${words}`, width, INDENT);
    const trail = (decision.trail ?? []).filter(({ decided }) => decided || this.#isExpanded);
    const told = trail.filter((entry) => this.#isExpanded || entry.rule !== undefined);
    return [
      ...lines,
      ...told
        .flatMap((entry) => wrap(`${entry.decided ? '•' : '·'} ${trailWords(entry)}`, width, INDENT))
        .map(paint.muted),
    ];
  }

  /** Whether the reason only repeats an effect that is already shown. */
  #repeatsEffect(): boolean {
    const { decision, reason, effects } = this.#question;
    const ground = decision.trail?.find(({ decided }) => decided);
    if (ground?.basis !== 'default' || decision.injection) return false;
    if (effects.length > MAX_EFFECT_LINES) return false; // it may be folded away
    const effect = effects[ground.effect ?? -1];
    const known = effect?.kind === 'command' ? ` (${effect.why})` : ''; // the effect's line contains it too
    if (reason !== ground.because && reason !== `${ground.because}${known}`) return false;
    if (effect?.kind === 'file') return effect.access === 'write';
    return effect !== undefined && effect.kind !== 'session';
  }

  #asking(width: number): string[] {
    const stage = this.#stage;
    if (stage.name === 'choosing') return this.#list.render(width);
    if (stage.name === 'refusing') return ['What should be done instead?', ...stage.field.render(width)];
    const number = this.#rules.length > 1 ? ` ${stage.done.length + 1} of ${this.#rules.length}` : '';
    return [cut(`The rule${number} to save:`, width), ...stage.field.render(width)];
  }

  #cut(lines: readonly string[], most: number): string[] {
    if (this.#isExpanded || lines.length <= most + 1) return [...lines];
    return [
      ...lines.slice(0, most),
      this.#theme.paint.muted(`… ${counted(lines.length - most, 'more line')} (ctrl+o)`),
    ];
  }

  #isCut(): boolean {
    const trail = this.#question.decision.trail ?? [];
    return !this.#isExpanded && (trail.length > 0 || this.#question.effects.length > MAX_EFFECT_LINES);
  }

  #decidingParts(): string[] {
    const { decision, effects } = this.#question;
    return partsOf(decision, (index) => {
      const effect = effects[index];
      return effect?.kind === 'command' ? effect.text : undefined;
    });
  }
}

/** The commands that the decision is based on, and what was added to one. */
function partsOf({ trail = [], injection }: Decision, commandAt: (index: number) => string | undefined): string[] {
  const decided = trail.flatMap(({ decided: isGround, effect }) =>
    isGround && effect !== undefined ? [commandAt(effect)] : [],
  );
  return [...decided, injection?.part].filter((part) => part !== undefined && part !== '').map(String);
}

function trailWords({ about, behavior, because, rule }: TrailEntry): string {
  const place = rule
    ? ` (${rule.list}: ${rule.text}, ${rule.file}${rule.line === undefined ? '' : `:${rule.line}`})`
    : '';
  return cleanLine(`${about}: ${behavior}, ${because}${place}`);
}
