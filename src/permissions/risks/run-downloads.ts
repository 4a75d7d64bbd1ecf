// Files that one command downloads and a later one runs: `curl … -o i.sh && sh i.sh`.
import { basename } from 'node:path';
import type { CommandEffect, Effect } from '../../contract/effect.js';
import type { Risk } from '../../contract/permission.js';
import { commandLine } from './command-line.js';

const DOWNLOADERS = /^(curl|wget|wget2|aria2c|http|https|xh|scp|sftp|rsync|gh)$/;
const INTERPRETERS = /^((ba|z|da|k|fi)?sh|\.|source|python[\d.]*|node|perl|ruby|php)$/;

export function runsDownloads(effects: readonly Effect[]): Risk[] {
  const commands = effects.filter((effect) => effect.kind === 'command');
  return commands.flatMap((command, index) => {
    const started = startedFile(command);
    if (started === undefined) return [];
    const source = commands.findIndex((earlier, at) => at < index && downloads(earlier, at, effects).includes(started));
    if (source < 0) return [];
    const address = effects.find((effect) => effect.kind === 'network' && effect.by?.command === source);
    const host = address?.kind === 'network' && URL.canParse(address.url) ? new URL(address.url).host : 'the network';
    return [
      {
        kind: 'downloaded_code',
        level: 'high',
        undoable: false,
        text: `runs code that it downloads from ${host}`,
        effects: [effects.indexOf(command)],
        part: command.text,
      },
    ];
  });
}

/** The names of the files that a command downloads; the folder may be written in several ways. */
function downloads(command: CommandEffect, index: number, effects: readonly Effect[]): string[] {
  if (!DOWNLOADERS.test(commandLine(command)?.name ?? '')) return [];
  return effects.flatMap((effect) => {
    if (effect.kind === 'file' && effect.access === 'write' && effect.by?.command === index) {
      return effect.tree ? [] : [basename(effect.path)];
    }
    const isAddress = effect.kind === 'network' && effect.by?.command === index && URL.canParse(effect.url);
    return isAddress ? [basename(new URL(effect.url).pathname)].filter((name) => name !== '') : [];
  });
}

/** The name of the file that a command runs. */
function startedFile({ argv = [] }: CommandEffect): string | undefined {
  const [program = '', ...words] = argv;
  if (program.includes('/') && !/^\/(usr\/)?s?bin\//.test(program)) return basename(program);
  if (!INTERPRETERS.test(program)) return undefined;
  const script = words.find((word) => !word.startsWith('-'));
  return script === undefined ? undefined : basename(script);
}
