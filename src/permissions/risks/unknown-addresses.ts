// The risk of a transfer whose address is not fully known before it runs: as much of it as is known is named.
import type { CommandEffect } from '../../contract/effect.js';
import type { Risk } from '../../contract/permission.js';
import { bounded, type CommandLine, optionValues } from './command-line.js';
import { isSending, requestOf } from './http-requests.js';

type AddressRisk = Pick<Risk, 'kind' | 'level' | 'text'>;

const HTTP_PROGRAMS = /^(curl|wget|wget2|http|https|httpie|xh|aria2c)$/;
const COPY_PROGRAMS = /^(scp|sftp|rsync|ssh|mosh)$/;
const ANY_ADDRESS = 'an address that is known only when it runs';

const LOCAL_ADDRESS = /[\s"'](https?:\/\/)?(localhost|127\.0\.0\.1)(:\$?\{?\w+\}?)?([/?"']|\s|$)/;

/** Only for commands of which no address is known. */
export function unknownAddressRisk(command: CommandEffect, line: CommandLine): AddressRisk | undefined {
  const text = bounded(command.text);
  const isHttp = HTTP_PROGRAMS.test(line.name);
  if (!isHttp && !COPY_PROGRAMS.test(line.name)) return undefined;
  const lists = line.name === 'curl' ? [] : optionValues(line, /^(-i|--input-file)$/); // curl: see programs/requests.ts
  const isUnknown = line.words.includes('…');
  if (!isUnknown) {
    if (!isHttp || lists.length === 0) return undefined;
    return { kind: 'network', level: 'high', text: `reaches the addresses that ${lists.join(', ')} names` };
  }
  if (isHttp && LOCAL_ADDRESS.test(text) && !carriesData(text)) return undefined;
  const address = hostIn(text) ?? ANY_ADDRESS;
  if (!isHttp) return copyRisk(line, text, address);
  const { method, hasBody } = requestOf(line) ?? { method: 'GET', hasBody: false };
  if (hasBody) return { kind: 'network', level: 'high', text: `sends data to ${address} (${method})` };
  if (isSending(method)) return { kind: 'network', level: 'high', text: `sends a ${method} request to ${address}` };
  if (carriesData(text)) {
    return { kind: 'network', level: 'high', text: `sends data to ${address}, as a part of the address` };
  }
  return { kind: 'network', level: 'notable', text: `downloads from ${address}` };
}

function copyRisk({ name, operands }: CommandLine, text: string, address: string): AddressRisk | undefined {
  if (/^(ssh|mosh)$/.test(name)) {
    const script = operands.slice(1).join(' ');
    return script === ''
      ? { kind: 'network', level: 'notable', text: `opens a session on ${address}` }
      : { kind: 'remote_change', level: 'high', text: `runs a command on ${address}: ${script}` };
  }
  if (name === 'rsync' && !/[\w}"]:/.test(text)) return undefined; // from one folder to another
  return operands.at(-1) === '…'
    ? { kind: 'network', level: 'high', text: `sends files to ${address}` }
    : { kind: 'network', level: 'notable', text: `downloads from ${address}` };
}

/** The host of the first address in the text, if all of it is known: `evil.com` in `https://evil.com/$X`. */
const hostIn = (text: string): string | undefined =>
  /(?:^|[\s"'=])(?:[a-z][a-z0-9+.-]{0,20}:\/\/)(?:[^\s/@$`"']{1,200}@)?([\w.-]{1,253}(?::\d{1,5})?)(?=[/?#"'\s]|$)/i.exec(
    text,
  )?.[1] ?? /[\s"'](?:\w+@)?((?:[\w-]{1,63}\.){1,10}[a-z]{2,20}(?::\d{1,5})?)(?=[/?:])/i.exec(text)?.[1];

/** Whether the output of a command, or a variable that is named like a secret, becomes a part of the address. */
const carriesData = (text: string): boolean =>
  /[^\s"']\$\(|[^\s"']`/.test(text) ||
  /\$\{?\w*(TOKEN|SECRET|KEY|PASS|CRED|AUTH|PRIVATE)/i.test(text.replace(/(-H|--header)[ =]("[^"]*"|\S+)/g, ''));
