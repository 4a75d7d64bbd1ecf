// How each part of a call was decided, for the details of a question.
import type { PermissionQuestion, TrailEntry } from '../contract/permission.js';
import { whyAsked } from '../permissions/effect-words.js';
import type { Places } from '../permissions/risks/place-words.js';
import { visibleLine } from '../platform/text/visible-lines.js';
import { withShownPaths } from './shown-path.js';

/** One line for each part; without what only concerns the session, which is always allowed. */
export function trailWords(question: PermissionQuestion, { project, home = [] }: Places): string[] {
  const [root = ''] = project;
  return (question.decision.trail ?? [])
    .filter(({ basis, decided }) => decided || basis !== 'session')
    .map((entry) => {
      const line = `${entry.decided ? '•' : '·'} ${words(entry, question)}`;
      return visibleLine(withShownPaths(line, { root, home: home[0] }));
    });
}

const decisions = { allow: 'allowed', ask: 'asked about', deny: 'denied' } as const;

function words(
  { about, effect: index = -1, behavior, because, basis, rule }: TrailEntry,
  { effects }: PermissionQuestion,
) {
  const subject = about.replace(/^"([\s\S]*)"$/, '$1');
  if (basis === 'default') {
    const effect = effects[index];
    const asked = effect === undefined ? '' : whyAsked(effect);
    // What follows says more than the effect itself, such as that the file is outside the project.
    const more = asked !== '' && because.startsWith(asked) ? because.slice(asked.length) : '';
    return `${subject}: no rule covers it${more}`;
  }
  const place = rule
    ? ` (${rule.list}: ${rule.text}, ${rule.file}${rule.line === undefined ? '' : `:${rule.line}`})`
    : '';
  return `${because.includes(about) ? '' : `${subject}: `}${decisions[behavior]}, ${because}${place}`;
}
