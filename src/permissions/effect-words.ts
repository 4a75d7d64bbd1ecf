// Effects as the reasons of decisions name them.
import type { Effect, FileEffect } from '../contract/effect.js';

/** Uses only the path of the call, so that the target of a denied symlink is not revealed. */
export function inWords(effect: Effect): string {
  switch (effect.kind) {
    case 'file':
      return `${effect.removes ? 'removing' : effect.access === 'read' ? 'reading' : 'writing'} ${amount(effect)}${effect.unresolved ?? effect.path}`;
    case 'command':
      return `"${effect.text}"`;
    case 'network':
      return `reaching ${effect.url}`;
    case 'session':
      return effect.access === 'read' ? `the session's ${effect.what}` : `changing the session's ${effect.what}`;
    case 'unknown':
      return `what can't be known beforehand (${effect.why})`;
  }
}

export function whyAsked(effect: Effect): string {
  switch (effect.kind) {
    case 'file':
      if (effect.access === 'write')
        return `it ${effect.removes ? 'removes' : 'writes'} ${amount(effect)}${shownPath(effect)}`;
      return `it reads ${shownPath(effect)}${effect.unresolved === undefined ? ', which is outside the project' : ''}`;
    case 'command':
      return `it runs the command "${effect.text}"`;
    case 'network':
      return `it reaches ${effect.url} over the network`;
    case 'session':
      return effect.what === 'memory'
        ? "it writes to the project's memory, which later sessions read"
        : `it changes the session's ${effect.what}`;
    case 'unknown':
      return effect.why;
  }
}

/** For what a search removes: not the folder that it searches. */
export const amount = ({ found }: FileEffect): string => (found ? 'what it finds in ' : '');

export function shownPath({ path, real, unresolved }: FileEffect): string {
  if (unresolved !== undefined) return `${unresolved}, which could be any file`;
  return real === path ? path : `${path} (really ${real})`;
}
