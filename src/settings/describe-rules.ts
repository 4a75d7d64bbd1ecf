// The rules of all settings, in lines for people: the strictest first, each with its place.

import type { Settings } from './settings.js';
import { oneLine, placeOf } from './settings-problem.js';

type WrittenRule = Settings['rules'][number];

export const orderedRules = ({ rules }: Pick<Settings, 'rules'>): WrittenRule[] =>
  ['deny', 'ask', 'allow'].flatMap((list) => rules.filter((rule) => rule.list === list));

export const ruleCounts = ({ list, trusted }: WrittenRule): boolean => list !== 'allow' || trusted;

export function ruleLines(settings: Pick<Settings, 'rules'>): string[] {
  const rules = orderedRules(settings);
  const width = Math.max(...rules.map(({ text }) => oneLine(text).length), 0);
  return rules.map((rule) => {
    const place = `${rule.list.padEnd(5)}  ${oneLine(rule.text).padEnd(width)}  ${oneLine(placeOf(rule.source))}`;
    return `${place}${ruleCounts(rule) ? '' : ', does not count: the folder is not trusted'}`;
  });
}
