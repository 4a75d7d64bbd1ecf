import { hyperlink } from '@earendil-works/pi-tui';
import type { Token, Tokens } from 'marked';
import { isSafeAddress } from '../../display/markdown-tokens.js';
import type { Role, Theme } from '../screen/theme.js';

/**
 * The text within a block. Every piece is painted with all styles that surround it, since the end of an inner style
 * would end an outer one of the same kind.
 */
export function inlineText(theme: Theme, tokens: readonly Token[], roles: readonly Role[] = []): string {
  return tokens.map((token) => pieceOf(theme, token, roles)).join('');
}

function pieceOf(theme: Theme, token: Token, roles: readonly Role[]): string {
  const within = (role: Role): string => inlineText(theme, childrenOf(token), [...roles, role]);
  switch (token.type) {
    case 'strong':
      return within('strong');
    case 'em':
      return within('italic');
    case 'del':
      return within('struck');
    case 'codespan':
      return painted(theme, theme.hasColors ? textOf(token) : `\`${textOf(token)}\``, [...roles, 'code']);
    case 'link':
      return linkOf(theme, token as Tokens.Link, roles); // its type says so
    case 'br':
      return '\n';
    case 'html':
      return painted(theme, token.raw, roles);
    default: {
      const inner = childrenOf(token);
      return inner.length > 0 ? inlineText(theme, inner, roles) : painted(theme, textOf(token), roles);
    }
  }
}

const childrenOf = (token: Token): readonly Token[] => ('tokens' in token ? (token.tokens ?? []) : []);
const textOf = (token: Token): string => ('text' in token && typeof token.text === 'string' ? token.text : token.raw);

/** A style ends with its line: lines are drawn one by one. */
const painted = (theme: Theme, text: string, roles: readonly Role[]): string =>
  text
    .split('\n')
    .map((line) => roles.reduceRight((inner, role) => theme.paint[role](inner), line))
    .join('\n');

/** The address is always written out: a link must not hide its target. */
function linkOf(theme: Theme, { href, text, tokens }: Tokens.Link, roles: readonly Role[]): string {
  const label = inlineText(theme, tokens, [...roles, 'link', 'underline']);
  if (text === href || `mailto:${text}` === href) return asLink(theme, href, label);
  const address = theme.paint.muted(href);
  return `${asLink(theme, href, label)}${theme.paint.muted(' (')}${asLink(theme, href, address)}${theme.paint.muted(')')}`;
}

function asLink(theme: Theme, address: string, drawn: string): string {
  return theme.links && isSafeAddress(address) ? hyperlink(drawn, address) : drawn;
}
