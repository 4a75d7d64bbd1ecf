// A decision for people: the answer first, then each part of the call with its effects and what decided about them.

import type { Explanation } from '../../compose/explain-call.js';
import type { CommandEffect, Effect } from '../../contract/effect.js';
import type { Behavior, Confinement, TrailEntry, Walls } from '../../contract/permission.js';
import { commandReason } from '../../permissions/command-reason.js';
import { confinementWords } from '../../permissions/sandboxed-call.js';
import { visible } from '../../platform/text/visible.js';
import { oneLine } from '../../settings/settings-problem.js';

export function describeExplanation(explanation: Explanation, { cwd }: { cwd: string }): string {
  const { decision, reason, tool, mode, walls, effects, risks, trail, problems } = explanation;
  const { confinement, sandbox } = explanation;
  const commands = effects.filter((effect) => effect.kind === 'command');
  const whole = trail.filter(({ effect }) => effect === undefined);
  const lines = [
    `${decision}: ${indented(reason)}`,
    ...risks.map(({ level, text }) => `  ${level === 'high' ? '!!' : '! '} ${oneLine(text)}`),
    '',
    `${oneLine(tool)} in ${oneLine(cwd)}, mode ${mode}${confinement ? `, confinement: ${available[walls]}` : ''}`,
    ...(confinement ? [`  ${inWordsOf(confinement, decision, sandbox)}`] : []),
  ];
  lines.push(...whole.flatMap((entry) => ground(entry, '  ')));
  const part = (effect: Effect, index: number, indent: string): string[] => [
    `${indent}${oneLine(inWords(effect, commands))}`,
    ...trail.filter((entry) => entry.effect === index).flatMap((entry) => ground(entry, `${indent}  `)),
  ];
  for (const [index, effect] of effects.entries()) {
    if (effect.kind === 'file' && effect.by) continue; // shown below its command
    if (effect.kind === 'session' && effect.access === 'read') continue; // true for every relative path
    lines.push(...part(effect, index, '  '));
    if (effect.kind !== 'command') continue;
    const position = commands.indexOf(effect);
    for (const [at, file] of effects.entries()) {
      if (file.kind === 'file' && file.by?.command === position) lines.push(...part(file, at, '    '));
    }
  }
  const rules = new Map(
    trail.flatMap(({ rule, basis }) => {
      if (!rule) return [];
      const place = rule.line === undefined ? rule.file : `${rule.file}:${rule.line}`;
      const note = basis === 'untrusted' ? ', which does not count: the folder is not trusted' : '';
      const line = `  ${rule.list.padEnd(5)}  ${oneLine(rule.text)}  (${oneLine(place)})${note}`;
      return [[line, line]];
    }),
  );
  lines.push('', rules.size === 0 ? 'No rule matched.' : 'Rules that matched:', ...rules.keys());
  if (problems.length > 0) lines.push('', 'Problems:', ...problems.map(({ message }) => `  ${oneLine(message)}`));
  return lines.join('\n');
}

/** Whether this machine can confine commands. */
const available: Readonly<Record<Walls, string>> = { full: 'available', none: 'not available' };

function inWordsOf(confinement: Confinement, decision: Behavior, sandbox: string | undefined): string {
  if (confinement === 'approved' && sandbox !== undefined)
    return decision === 'allow' ? sandbox : `Once approved: ${sandbox}`;
  const words = `runs ${confinementWords[confinement]}.`;
  return decision === 'allow' ? `It ${words}` : `Approved, it ${words}`;
}

/** Indents further lines, so that they can't be mistaken for lines of ours. */
const indented = (text: string): string => visible(text).replaceAll('\n', '\n  ');

const ground = ({ behavior, because, decided }: TrailEntry, indent: string): string[] => [
  `${indent}${behavior.padEnd(5)}  ${oneLine(because)}${decided ? '  <- decides' : ''}`,
];

function inWords(effect: Effect, commands: readonly CommandEffect[]): string {
  switch (effect.kind) {
    case 'command':
      return `command: ${effect.text}${notes(effect, commands)}`;
    case 'file': {
      const verb = effect.removes ? 'removes' : effect.access === 'read' ? 'reads' : 'writes';
      const real = effect.real === effect.path ? '' : ` (really ${effect.real})`;
      const name = effect.unresolved ?? effect.pattern ?? `${effect.path}${real}`;
      return `${verb} ${effect.found ? 'what it finds in ' : ''}${name}${effect.tree && !effect.found && effect.unresolved === undefined ? ' and what is below it' : ''}`;
    }
    case 'network':
      return `network: ${effect.url}`;
    case 'session':
      return `session: ${effect.access === 'read' ? 'depends on' : 'changes'} its ${effect.what}`;
    case 'unknown':
      return `unknown beforehand: ${effect.why}`;
  }
}

function notes(command: CommandEffect, commands: readonly CommandEffect[]): string {
  if (!command.harmless && command.needsWalls) return ' (needs no question only if it runs read-only and offline)';
  if (!command.harmless) {
    const why = commandReason(command);
    return why === undefined ? '' : ` (${why})`;
  }
  const position = commands.indexOf(command);
  return commands.some(({ wrappedBy }) => wrappedBy === position) ? '' : ' (harmless)';
}
