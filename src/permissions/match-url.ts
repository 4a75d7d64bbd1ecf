// Domain patterns of WebFetch(domain:...) rules. Hosts are compared label by label, never as text.
import { domainToASCII } from 'node:url';
import { matchesText, type TextPattern, textPattern } from './match-text.js';

export interface DomainPattern {
  /** `*.example.com`: at least one more label in front. */
  isBelow: boolean;
  labels: readonly TextPattern[];
  isEverything: boolean;
}

/** Undefined where the text is no domain. */
export function parseDomain(text: string): DomainPattern | undefined {
  const trimmed = text.trim().toLowerCase().replace(/\.$/, '');
  if (trimmed === '*') return { isBelow: false, labels: [], isEverything: true };
  if (/[\s/\\?#@%]/.test(trimmed)) return undefined;
  const isBelow = trimmed.startsWith('*.');
  const domain = isBelow ? trimmed.slice(2) : trimmed;
  const labels = domain.includes('*') ? domain.split('.') : labelsOf(domainToASCII(domain));
  if (labels.length === 0 || labels.some((label) => !/^[a-z0-9_*-]+$|^\[[0-9a-f:.]+\]$/.test(label))) return undefined;
  return { isBelow, labels: labels.map(textPattern), isEverything: false };
}

/** Whether the URL's host is of the domain. */
export function matchesDomain({ isBelow, labels, isEverything }: DomainPattern, url: string): boolean {
  const host = hostOf(url);
  if (host === undefined) return false;
  if (isEverything) return true;
  const parts = labelsOf(host);
  const extra = parts.length - labels.length;
  if (isBelow ? extra < 1 : extra !== 0) return false;
  return parts.slice(extra).every((part, index) => matchesText(labels[index] ?? [], part));
}

export function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const host = new URL(url).hostname.toLowerCase().replace(/\.$/, '');
  return host === '' ? undefined : host;
}

/** A user name in front of the host, or a NUL, is there to show one host and reach another: no rule allows it. */
export function hidesHost(url: string): boolean {
  if (!URL.canParse(url) || /[\0-\x20\\]/.test(url)) return true;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

const labelsOf = (host: string): string[] => (host === '' ? [] : host.startsWith('[') ? [host] : host.split('.'));
