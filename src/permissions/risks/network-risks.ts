// The risks of reaching the network: which host, and whether data goes there.
import type { CommandEffect, NetworkEffect } from '../../contract/effect.js';
import type { Risk } from '../../contract/permission.js';
import { type CommandLine, commandLine } from './command-line.js';

type NetworkRisk = Omit<Risk, 'effects' | 'part'>;

/** A request, or a transfer, to a host. */
export function networkRisk({ url }: NetworkEffect, command: CommandEffect | undefined): NetworkRisk | undefined {
  const host = hostWords(url);
  const line = command && commandLine(command);
  const request = line && requestOf(line);
  if (request) {
    const { method, hasBody } = request;
    const sends = hasBody || isSending(method);
    if (isLocal(host) && !sends) return undefined;
    if (!sends) return risk('notable', method === 'GET' ? `downloads from ${host}` : `asks ${host} (${method})`);
    const words = hasBody ? `sends data to ${host} (${method})` : `sends a ${method} request to ${host}`;
    return risk(isLocal(host) ? 'notable' : 'high', words);
  }
  if (line && /^(ssh|mosh)$/.test(line.name)) return remoteShell(line, host);
  if (line?.name === 'sftp') return risk('high', `can send files to ${host}`);
  if (line && /^(scp|rsync)$/.test(line.name)) {
    const isUpload = isRemote(line.operands.at(-1) ?? '');
    return isUpload
      ? risk('high', `sends ${line.operands.slice(0, -1).join(' ') || 'files'} to ${host}`)
      : risk('notable', `downloads from ${host}`);
  }
  if (isLocal(host)) return undefined;
  const isScan = line?.options.some((option) => /^-\w*z/.test(option)) === true;
  if (/^(tcp|udp):/.test(url) && !isScan) return risk('high', `opens a connection to ${host}, which can send data`);
  if (line?.name === 'git' && /^(fetch|pull)$/.test(line.operands[0] ?? '') && !isRemote(line.operands[1] ?? '')) {
    return undefined; // `main:main` is no host, but names branches
  }
  if (line?.name === 'git')
    return /^(clone|fetch|pull|ls-remote|submodule)$/.test(line.operands[0] ?? '')
      ? risk('notable', `downloads from ${host}`)
      : undefined;
  return risk('notable', command ? `reaches ${host}` : `downloads from ${host}`);
}

const risk = (level: Risk['level'], text: string): NetworkRisk => ({ kind: 'network', level, undoable: false, text });

/** `uptime` in `ssh host uptime` runs there, out of reach of undo. */
function remoteShell({ operands }: CommandLine, host: string): NetworkRisk {
  const script = operands.slice(1).join(' ');
  if (script === '') return risk('notable', `opens a session on ${host}`);
  return { kind: 'remote_change', level: 'high', undoable: false, text: `runs on ${host}: ${script}` };
}

const isRemote = (word: string): boolean => /^[^/\s]+:(?!\\)/.test(word) || word.includes('://');

const isLocal = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)(:\d+)?$/.test(host);

/** The host with its port, without a user's name and password. */
function hostWords(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host } = new URL(url);
  return host === '' ? url : host;
}

/** Short options of curl whose value is the rest of the word or the next one. */
const CURL_VALUED = 'AbcCdDeEFhHKmoPQrtTuUwxXyYz';

interface Request {
  method: string;
  hasBody: boolean;
}

export function requestOf({ name, words }: CommandLine): Request | undefined {
  if (name === 'curl') return curlRequest(words);
  if (name === 'wget') return wgetRequest(words);
  if (/^(http|https|httpie|xh)$/.test(name)) {
    const method = words.find((word) => /^[A-Z]{3,7}$/.test(word));
    const hasBody = words.some((word) => /^[^-][^/]*(:?=@?|@)/.test(word) && !word.includes('://'));
    return { method: method ?? (hasBody ? 'POST' : 'GET'), hasBody };
  }
  return undefined;
}

export const isSending = (method: string): boolean => !/^(GET|HEAD|OPTIONS|…)$/i.test(method);

function curlRequest(words: readonly string[]): Request {
  let method: string | undefined;
  let body: string | undefined;
  let isGet = false;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word.startsWith('--')) {
      const [option = '', glued] = word.split(/=(.*)/s);
      if (option === '--request') method = glued ?? words[index + 1];
      if (/^--(data|form|json)/.test(option)) body ??= 'POST';
      if (option === '--upload-file') body ??= 'PUT';
      if (option === '--get') isGet = true;
      if (option === '--head') method ??= 'HEAD';
      continue;
    }
    if (!word.startsWith('-')) continue;
    const letters = [...word.slice(1)];
    const valued = letters.findIndex((letter) => CURL_VALUED.includes(letter));
    for (const letter of valued < 0 ? letters : letters.slice(0, valued)) {
      if (letter === 'G') isGet = true;
      if (letter === 'I') method ??= 'HEAD';
    }
    if (valued < 0) continue;
    const rest = letters.slice(valued + 1).join('');
    const letter = letters[valued];
    if (letter === 'X') method = rest === '' ? words[index + 1] : rest;
    if (letter === 'd' || letter === 'F') body ??= 'POST';
    if (letter === 'T') body ??= 'PUT';
    if (rest === '') index += 1;
  }
  // With -G the data is a part of the address, and leaves the machine all the same.
  const sent = method ?? (isGet ? 'GET' : body) ?? 'GET';
  return { method: sent.toUpperCase(), hasBody: body !== undefined };
}

function wgetRequest(words: readonly string[]): Request {
  const value = (name: string): string | undefined => {
    const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`));
    return at < 0 ? undefined : (words[at]?.split(/=(.*)/s)[1] ?? words[at + 1]);
  };
  const hasBody = ['--post-data', '--post-file', '--body-data', '--body-file'].some(
    (name) => value(name) !== undefined,
  );
  const method = (value('--method') ?? (hasBody ? 'POST' : 'GET')).toUpperCase();
  return { method, hasBody };
}
