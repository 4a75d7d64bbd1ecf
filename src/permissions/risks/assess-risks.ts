// What a call puts at risk, by its effects and by what undo can restore of its files. Every surface shows the same.
import { statSync } from 'node:fs';
import type { CommandEffect, Effect } from '../../contract/effect.js';
import type { DecisionRequest, Risk } from '../../contract/permission.js';
import type { ToolTable } from '../../contract/tool-traits.js';
import { isInside } from '../../platform/files/paths.js';
import { thisPathStyle } from '../match-path.js';
import { familyOf } from '../tool-names.js';
import { commandLine } from './command-line.js';
import { commandRisks } from './command-risks.js';
import { fileRisk, type RiskPlaces } from './file-risks.js';
import { boundRisks, mergeNames, type NamedRisk } from './merge-risks.js';
import { networkRisk } from './network-risks.js';
import { furthestFirst, type ReachingRisk } from './reach.js';
import { runsDownloads } from './run-downloads.js';
import { lookBudget } from './undo-coverage.js';
import { unknownAddressRisk } from './unknown-addresses.js';
import { isWriteWithin } from './write-within.js';

export interface RiskContext extends Omit<RiskPlaces, 'style'> {
  tools: ToolTable;
  style?: RiskPlaces['style'] | undefined;
}

/** What can't be undone and reaches furthest first; each only once. */
export function assessRisks({ tool, effects }: DecisionRequest, context: RiskContext): Risk[] {
  const places = { ...context, style: context.style ?? thisPathStyle() };
  const commands = effects.filter((effect) => effect.kind === 'command');
  const reached = new Set(effects.map((effect) => (effect.kind === 'network' ? effect.by?.command : undefined)));
  const around = { effects, places, byCommand: familyOf(context.tools, tool) === 'command', budget: lookBudget() };
  const files: NamedRisk[] = [];
  const hosts: NamedRisk[] = [];
  const risks: ReachingRisk[] = [];
  for (const [index, effect] of effects.entries()) {
    if (effect.kind === 'file') files.push(...optional(fileRisk(effect, index, around)));
    if (effect.kind === 'command') {
      risks.push(...commandRisks(effect, index));
      const line = commandLine(effect);
      const isKnown = reached.has(commands.indexOf(effect));
      const found = line && !isKnown && !effect.harmless ? unknownAddressRisk(effect, line) : undefined;
      if (found) risks.push({ undoable: false, ...found, effects: [index], part: effect.text });
    }
    if (effect.kind === 'network') {
      const command = commands[effect.by?.command ?? -1];
      const found = networkRisk(effect, command);
      if (found) hosts.push({ ...found, effects: [index], ...(command && { part: command.text }) });
    }
    if (effect.kind === 'session' && effect.what === 'memory' && effect.access === 'write') {
      risks.push({
        kind: 'startup',
        level: 'notable',
        undoable: false,
        text: 'writes notes that later sessions read',
        effects: [index],
      });
    }
    if (effect.kind === 'unknown') risks.push(unknownRisk(effect.why, index, { tool, commands, effects, context }));
  }
  risks.push(...runsDownloads(effects));
  const named = [...hosts, ...files.filter((risk) => !isBelow(risk, files, effects))];
  const byName = mergeNames(named.filter((risk) => !isSaid(risk, risks)));
  // The path of a changed right says where it is; the words of the command alone do not.
  const isRepeated = ({ kind, level, part }: Risk): boolean =>
    level === 'notable' && kind === 'privileges' && byName.some((risk) => risk.kind === kind && risk.part === part);
  return furthestFirst(boundRisks([...risks.filter((risk) => !isRepeated(risk)), ...byName]));
}

const optional = <Value>(value: Value | undefined): Value[] => (value === undefined ? [] : [value]);

/** Whether the tables of risky commands say the same of the whole command: `find . -delete`, `shred f`. */
const isSaid = ({ kind, part }: NamedRisk, risks: readonly Risk[]): boolean =>
  kind === 'deletes' && part !== undefined && risks.some((risk) => risk.kind === kind && risk.part === part);

/** Whether another risk is about a folder above. */
const isBelow = (risk: NamedRisk, files: readonly NamedRisk[], effects: readonly Effect[]): boolean => {
  const inner = effects[risk.effects[0] ?? -1];
  return files.some((other) => {
    const outer = effects[other.effects[0] ?? -1];
    if (other === risk || other.part !== risk.part) return false;
    // Of `cp a b`, b/a is written only if b is a folder.
    if (risk.kind === 'writes_outside' && inner && outer && isWriteWithin(inner, outer) && !isFolder(outer))
      return true;
    if (other.kind !== risk.kind) return false;
    if (inner?.kind !== 'file' || outer?.kind !== 'file' || !outer.tree || inner.path === outer.path) return false;
    return outer.pattern === undefined && isInside(outer.path, inner.path);
  });
};

/** Or could be, if it can't be looked at. */
function isFolder(effect: Effect): boolean {
  if (effect.kind !== 'file') return false;
  try {
    return statSync(effect.real, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return true;
  }
}

const DOWNLOADERS = /^(curl|wget|wget2|aria2c|http|https|xh|fetch|git|gh|scp|ssh)$/;

function unknownRisk(
  why: string,
  index: number,
  {
    tool,
    commands,
    effects,
    context,
  }: { tool: string; commands: readonly CommandEffect[]; effects: readonly Effect[]; context: RiskContext },
): Risk {
  const base = { undoable: false, effects: [index] } as const;
  if (familyOf(context.tools, tool) !== 'command') {
    return { ...base, kind: 'unknown', level: 'notable', text: `can touch anything: ${why}` };
  }
  const source = commands.find((command) => DOWNLOADERS.test(commandLine(command)?.name ?? ''));
  const [, name] = /what (\S+) runs/.exec(why) ?? [];
  const runner = commands.find((command) => name !== undefined && commandLine(command)?.name === name);
  if (source && runner) {
    const address = effects.find(
      (effect) => effect.kind === 'network' && effect.by?.command === commands.indexOf(source),
    );
    const host = address?.kind === 'network' && URL.canParse(address.url) ? new URL(address.url).host : 'the network';
    return {
      ...base,
      kind: 'downloaded_code',
      level: 'high',
      text: `runs code that it downloads from ${host}`,
      part: runner.text,
    };
  }
  return { ...base, kind: 'unknown', level: 'high', text: why };
}
