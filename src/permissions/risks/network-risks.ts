// The risks of reaching the network: which host, and whether data goes there.
import type { CommandEffect, NetworkEffect } from '../../contract/effect.js';
import type { Risk } from '../../contract/permission.js';
import { type CommandLine, commandLine } from './command-line.js';
import { isSending, requestOf } from './http-requests.js';
import type { NamedRisk } from './merge-risks.js';
import { fewNames, shortened } from './short-text.js';

type NetworkRisk = Omit<NamedRisk, 'effects' | 'part'>;

/** A request, or a transfer, to a host. */
export function networkRisk({ url }: NetworkEffect, command: CommandEffect | undefined): NetworkRisk | undefined {
  const host = hostWords(url);
  const line = command && commandLine(command);
  const request = line && requestOf(line);
  if (request) {
    const { method, hasBody } = request;
    const sends = hasBody || isSending(method);
    if (isLocal(host) && !sends) return undefined;
    const shown = shortened(method, 20);
    if (!sends && method === 'GET') return risk('notable', 'downloads from', host);
    if (!sends) return risk('notable', 'asks', host, ` (${shown})`);
    const level = isLocal(host) ? 'notable' : 'high';
    return hasBody
      ? risk(level, 'sends data to', host, ` (${shown})`)
      : risk(level, `sends a ${shown} request to`, host);
  }
  if (line && /^(ssh|mosh)$/.test(line.name)) return remoteShell(line, host);
  if (line?.name === 'sftp') return risk('high', 'can send files to', host);
  if (line && /^(scp|rsync)$/.test(line.name)) {
    const isUpload = isRemote(line.operands.at(-1) ?? '');
    return isUpload
      ? risk('high', `sends ${fewNames(line.operands.slice(0, -1)) || 'files'} to`, host)
      : risk('notable', 'downloads from', host);
  }
  if (isLocal(host)) return undefined;
  const isScan = line?.options.some((option) => /^-\w*z/.test(option)) === true;
  if (/^(tcp|udp):/.test(url) && !isScan) return risk('high', 'opens a connection to', host, ', which can send data');
  if (line?.name === 'git' && /^(fetch|pull)$/.test(line.operands[0] ?? '') && !isRemote(line.operands[1] ?? '')) {
    return undefined; // `main:main` is no host, but names branches
  }
  if (line?.name === 'git')
    return /^(clone|fetch|pull|ls-remote|submodule)$/.test(line.operands[0] ?? '')
      ? risk('notable', 'downloads from', host)
      : undefined;
  return risk('notable', command ? 'reaches' : 'downloads from', host);
}

const risk = (level: Risk['level'], verb: string, name: string, about = ''): NetworkRisk => ({
  kind: 'network',
  level,
  undoable: false,
  verb,
  name,
  about,
});

const MAX_SCRIPT_CHARS = 300;

/** `uptime` in `ssh host uptime` runs there, out of reach of undo. */
function remoteShell({ operands }: CommandLine, host: string): NetworkRisk {
  const script = shortened(operands.slice(1).join(' '), MAX_SCRIPT_CHARS);
  if (script === '') return risk('notable', 'opens a session on', host);
  return { ...risk('high', 'runs a command on', host, `: ${script}`), kind: 'remote_change' };
}

const isRemote = (word: string): boolean => /^[^/\s]+:(?!\\)/.test(word) || word.includes('://');

const isLocal = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)(:\d+)?$/.test(host);

/** The host with its port, without a user's name and password. */
function hostWords(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host } = new URL(url);
  return host === '' ? url : host;
}
