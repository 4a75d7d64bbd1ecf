// A decision for people: the answer first, then each part of the call with its own answer and the rule behind it.

import type { Explanation } from '../../compose/explain-call.js';
import type { CommandEffect, Effect } from '../../contract/effect.js';
import { type Behavior, modeWords, type TrailEntry, type Walls } from '../../contract/permission.js';
import { sessionWords } from '../../display/question-words.js';
import { commandReason } from '../../permissions/command-reason.js';
import { isWriteWithin } from '../../permissions/risks/write-within.js';
import { confinementWords } from '../../permissions/sandboxed-call.js';
import { clause } from '../../platform/text/clause.js';
import { visible } from '../../platform/text/visible.js';
import { oneLine } from '../../settings/settings-problem.js';

export function describeExplanation(explanation: Explanation, { cwd }: { cwd: string }): string {
  const { decision, reason, tool, mode, walls, effects, risks, trail, problems, confinement, sandbox } = explanation;
  const short = (text: string): string => shortened(text, cwd);
  const commands = effects.filter((effect) => effect.kind === 'command');
  const worst = worstRisk(explanation);
  // The line of the effect says it once more.
  const isBelow = ({ effects: of, text }: Explanation['risks'][number]): boolean =>
    of.some((index) => effects[index] !== undefined && short(inWords(effects[index])) === text);
  const headline = worst ? sentenceOf(worst) : indented(clause(reason));
  const lines = [
    `${verdicts[decision]}: ${short(headline)}.`,
    ...risks
      .filter((risk) => (risk !== worst || risks.length > 1) && (risk.level === 'high' || !isBelow(risk)))
      .map(({ level, text }) => `  ${level === 'high' ? '!!' : '! '} ${oneLine(text)}`),
    '',
  ];
  const part = (effect: Effect | undefined, entries: readonly TrailEntry[], indent: string): string[] => {
    const main = entries.find(({ decided }) => decided) ?? strictest(entries);
    const about = effect ? inWords(effect) : `${tool} as a whole`;
    const why = whyOf(main, effect, commands);
    return [
      `${indent}${main ? signs[main.behavior] : ' '} ${oneLine(short(about))}${why === '' ? '' : `: ${oneLine(short(why))}`}`,
      ...entries.flatMap((entry) =>
        entry !== main && entry.rule ? [`${indent}    ${oneLine(ruleWords(entry))}`] : [],
      ),
    ];
  };
  const whole = trail.filter(
    ({ effect, because }) => effect === undefined && !(effects.length === 0 && because === reason),
  );
  if (whole.length > 0) lines.push(...part(undefined, whole, '  '));
  const entriesOf = (index: number) => trail.filter(({ effect }) => effect === index);
  for (const [index, effect] of effects.entries()) {
    if (effect.kind === 'file' && effect.by) continue; // shown below its command
    if (isPlainSession(effect, entriesOf(index))) continue;
    lines.push(...part(effect, entriesOf(index), '  '));
    if (effect.kind !== 'command') continue;
    const position = commands.indexOf(effect);
    for (const [at, file] of effects.entries()) {
      if (file.kind !== 'file' || file.by?.command !== position) continue;
      const answers = (index: number): string =>
        entriesOf(index)
          .map(({ behavior, rule }) => `${behavior} ${rule?.text}`)
          .join();
      const isSaid = effects.some(
        (other, index) => other !== file && isWriteWithin(file, other) && answers(index) === answers(at),
      );
      if (!isSaid) lines.push(...part(file, entriesOf(at), '      '));
    }
  }
  if (lines.at(-1) !== '') lines.push('');
  lines.push(`Mode ${mode} (${modeWords[mode]}).${aboutRules(explanation)}`);
  if (confinement && decision !== 'deny') {
    const words =
      confinement === 'approved' && sandbox !== undefined ? sandbox : `Runs ${confinementWords[confinement]}.`;
    const start = decision === 'allow' ? 'It' : 'If you approve it, it';
    lines.push(`${start} ${words.charAt(0).toLowerCase()}${words.slice(1)} ${available[walls]}`);
  }
  if (problems.length > 0) lines.push('', 'Problems:', ...problems.map(({ message }) => `  ${oneLine(message)}`));
  return lines.join('\n');
}

/** Most risks have a verb and no subject; what is not known is a sentence of its own. */
const sentenceOf = ({ text }: Explanation['risks'][number]): string =>
  /^(which|what) /.test(text) ? oneLine(text) : `it ${oneLine(text)}`;

/** The risk to name in the headline, where the reason says only which command runs. */
function worstRisk({
  decision,
  risks,
  trail,
  effects,
  injection,
}: Explanation): Explanation['risks'][number] | undefined {
  const ground = trail.find(({ decided }) => decided);
  const isCommand = effects[ground?.effect ?? -1]?.kind === 'command';
  if (injection || decision !== 'ask' || ground?.basis !== 'default' || !isCommand) return undefined;
  return risks[0];
}

/** A relative path depends on the working directory, and cd changes it: its command says so. */
const isPlainSession = (effect: Effect, entries: readonly TrailEntry[]): boolean =>
  effect.kind === 'session' &&
  (effect.access === 'read' ||
    (effect.what === 'cwd' && entries.every(({ behavior, rule }) => behavior === 'allow' && !rule)));

const verdicts: Readonly<Record<Behavior, string>> = { allow: 'Allowed', ask: 'Asks first', deny: 'Denied' };
const signs: Readonly<Record<Behavior, string>> = { allow: '✓', ask: '?', deny: '✗' };
const strictness: readonly Behavior[] = ['deny', 'ask', 'allow'];

const strictest = (entries: readonly TrailEntry[]): TrailEntry | undefined =>
  strictness.flatMap((behavior) =>
    entries.filter((entry) => entry.behavior === behavior && entry.basis !== 'untrusted'),
  )[0];

/** What the answer rests on, if the effect itself does not already say it. */
function whyOf(entry: TrailEntry | undefined, effect: Effect | undefined, commands: readonly CommandEffect[]): string {
  if (!entry) return '';
  if (entry.rule) return ruleWords(entry);
  if (effect?.kind === 'network' && entry.basis === 'default') return ''; // it says the address again
  const subject = subjectOf(effect);
  const repeats = subject !== undefined && entry.because.includes(subject);
  if (!repeats) return entry.because;
  // Which program it is, an unknown effect says.
  if (effect?.kind === 'command') return effect.argv === undefined ? '' : noteOf(effect, commands);
  return entry.because
    .slice(entry.because.indexOf(subject) + subject.length)
    .replace(/^[,:]? *(?:(?:and it|which) is (?!or )|and )?/, '')
    .replace(/^which is or /, 'it is or ');
}

function subjectOf(effect: Effect | undefined): string | undefined {
  if (effect?.kind === 'command') return effect.text;
  if (effect?.kind === 'unknown') return effect.why;
  return effect?.kind === 'file' ? effect.path : undefined;
}

function ruleWords({ rule, basis }: TrailEntry): string {
  if (!rule) return '';
  const place = rule.line === undefined ? rule.file : `${rule.file}:${rule.line}`;
  const note = basis === 'untrusted' ? ', which has no effect: the folder is not trusted' : '';
  return `${rule.list} rule ${rule.text} (${place})${note}`;
}

/** Whether this machine can confine commands. */
const available: Readonly<Record<Walls, string>> = {
  full: 'Helve can confine commands here.',
  none: "Helve can't confine commands here.",
};

/** A person who wants to allow the call for good needs to know whether a rule can do that. */
function aboutRules({ decision, trail }: Explanation): string {
  const basis = trail.find(({ decided }) => decided)?.basis;
  if (decision === 'ask' && (basis === 'critical_path' || basis === 'protected_path')) {
    return ' No rule can allow it: Helve asks every time.';
  }
  return trail.some((entry) => entry.rule) ? '' : ' No rule matches.';
}

/** Indents further lines, so that they can't be mistaken for lines of ours. */
const indented = (text: string): string => visible(text).replaceAll('\n', '\n  ');

/** Paths in the project are relative to it. */
const shortened = (text: string, cwd: string): string => (cwd === '/' ? text : text.replaceAll(`${cwd}/`, ''));

function inWords(effect: Effect): string {
  switch (effect.kind) {
    case 'command':
      return `runs ${effect.text}`;
    case 'file': {
      const verb = effect.removes ? 'deletes' : effect.access === 'read' ? 'reads' : 'writes';
      const real = effect.real === effect.path ? '' : ` (really ${effect.real})`;
      const name = effect.unresolved ?? effect.pattern ?? `${effect.path}${real}`;
      return `${verb} ${effect.found ? 'what it finds in ' : ''}${name}${effect.tree && !effect.found && effect.unresolved === undefined ? ' and everything in it' : ''}`;
    }
    case 'network':
      return `network: ${effect.url}`;
    case 'session':
      return `changes ${sessionWords[effect.what]}`;
    case 'unknown':
      return `unknown beforehand: ${effect.why}`;
  }
}

function noteOf(command: CommandEffect, commands: readonly CommandEffect[]): string {
  if (!command.harmless && command.needsWalls) return 'needs no question only if it runs read-only and offline';
  if (!command.harmless) return commandReason(command) ?? '';
  const position = commands.indexOf(command);
  return commands.some(({ wrappedBy }) => wrappedBy === position) ? '' : 'harmless';
}
