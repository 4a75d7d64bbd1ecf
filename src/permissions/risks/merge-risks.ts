// Merges the risks of a call, so that their number does not grow with the files and hosts that a command names.
import type { Risk } from '../../contract/permission.js';
import type { ReachingRisk } from './reach.js';
import { fewNames, shortened } from './short-text.js';

/** A risk about one file or host; risks that differ in the name alone become one. */
export interface NamedRisk extends Omit<ReachingRisk, 'text'> {
  verb: string;
  name: string;
  /** After the name. */
  about: string;
}

/** `deletes a.txt` and `deletes b.txt` of one command are one sentence. */
export function mergeNames(risks: readonly NamedRisk[]): ReachingRisk[] {
  const groups = grouped(risks, ({ verb, about }) => `${verb}\n${about}`);
  return groups.map(([first, ...others]) => {
    const { verb, name, about, ...risk } = first;
    const names = [...new Set([name, ...others.map((other) => other.name)])];
    const words = names.length > 1 ? about.replace(' in it', ' in them') : about;
    return { ...risk, effects: effectsOf([first, ...others]), text: `${verb} ${fewNames(names)}${words}` };
  });
}

const MAX_ALIKE = 3; // of one kind and level in one part of a command
const MAX_TEXT_CHARS = 1_500;

/** One risk for one sentence; of many that are alike in one part of a command, the first are named. */
export function boundRisks(risks: readonly ReachingRisk[]): ReachingRisk[] {
  const once = new Map(risks.toReversed().map((risk) => [`${risk.level} ${risk.kind} ${risk.text}`, risk]));
  return grouped([...once.values()].reverse(), () => '').flatMap((alike) => {
    const [first] = alike;
    const shown = alike.slice(0, MAX_ALIKE).map((risk) => ({ ...risk, text: shortened(risk.text, MAX_TEXT_CHARS) }));
    if (alike.length <= MAX_ALIKE) return shown;
    const text = `${shown.map((risk) => risk.text).join('; ')}; and ${alike.length - MAX_ALIKE} more of this kind`;
    return [{ ...first, text, effects: effectsOf(alike) }];
  });
}

type Group<Item> = [first: Item, ...others: Item[]];

/** Those of the same kind, level and part, and with the same key. */
function grouped<Item extends Omit<ReachingRisk, 'text'>>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Group<Item>[] {
  const parts = new Map<string | undefined, number>();
  const groups = new Map<string, Group<Item>>();
  for (const item of items) {
    const part = parts.get(item.part) ?? parts.size;
    parts.set(item.part, part);
    const key = `${item.kind} ${item.level} ${item.undoable} ${item.reach} ${part} ${keyOf(item)}`;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

const effectsOf = (risks: ReadonlyArray<Pick<Risk, 'effects'>>): number[] => [
  ...new Set(risks.flatMap(({ effects }) => effects)),
];
