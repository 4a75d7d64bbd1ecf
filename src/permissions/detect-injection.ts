// Recognizes a command that was added to one that a rule allows.
import type { CommandEffect } from '../contract/effect.js';
import type { Decision, DecisionRequest } from '../contract/permission.js';
import type { CallFinding, JudgedCall } from './call-finding.js';

/**
 * A rule allows the first command, but no rule allows another command in the same call: the usual shape of an attack
 * through an allow rule, so it is reported under a name of its own.
 */
export function detectInjection(
  deciding: CallFinding,
  answers: readonly CallFinding[],
  { request, commands }: JudgedCall,
): { answer: CallFinding; reason: string; injection: NonNullable<Decision['injection']> } | undefined {
  if (deciding.behavior !== 'ask' || deciding.basis !== 'default') return undefined;
  const commandOf = ({ effect }: CallFinding) => commands.indexOf(request.effects[effect ?? -1] as CommandEffect); // -1 for others
  const beginning = firstCommand(request, commands);
  const isFirst = (index: number): boolean =>
    index === beginning || (index >= 0 && isFirst(commands[index]?.wrappedBy ?? -1));
  const first = answers.find((answer) => isFirst(commandOf(answer)) && answer.basis === 'allow_rule');
  const added = answers.find(
    (answer) => commandOf(answer) >= 0 && !isFirst(commandOf(answer)) && answer.basis === 'default',
  );
  if (!first?.rule || !added) return undefined;
  const part = commands[commandOf(added)]?.text ?? added.about;
  return {
    answer: added,
    injection: { code: 'command_injection_detected', part },
    reason: `command_injection_detected: the rule "${first.rule.text}" allows ${first.about}, but no rule covers "${part}", which comes with it`,
  };
}

/** The command at the start of the text. It need not be the first effect, since substitutions in it run before it. */
function firstCommand({ input }: DecisionRequest, commands: readonly CommandEffect[]): number {
  const hasText =
    typeof input === 'object' && input !== null && 'command' in input && typeof input.command === 'string';
  const text = hasText ? String(input.command).trimStart() : '';
  return Math.max(
    commands.findIndex((command) => command.text !== '' && text.startsWith(command.text)),
    0,
  );
}

/** The reason of a decision, as shown to people. Programs and models get it with the name of the suspected attack. */
export const reasonForPeople = ({ reason, injection }: Pick<Decision, 'reason' | 'injection'>): string =>
  injection && reason.startsWith(`${injection.code}: `) ? reason.slice(injection.code.length + 2) : reason;
