// The risks of reading and writing files.
import type { CommandEffect, Effect, FileEffect } from '../../contract/effect.js';
import { isNullDevice } from '../judge-effect.js';
import { components, type PathStyle } from '../match-path.js';
import { namesOf } from '../match-rule.js';
import { isUnder } from '../policy.js';
import { criticalPlace, protectedPlace } from '../protected-paths.js';
import { commandLine } from './command-line.js';
import type { NamedRisk } from './merge-risks.js';
import { type Places, placeWords } from './place-words.js';
import { WORLD_WRITABLE } from './programs/machine.js';
import { secretAt } from './secret-names.js';
import { isNeverCopied, type LookBudget, type UndoCoverage, undoCoverage } from './undo-coverage.js';

export interface RiskPlaces extends Places {
  /** The project and the folders added to it, each as written and with symlinks resolved. */
  workspace: readonly string[];
  style: PathStyle;
}

interface Around {
  places: RiskPlaces;
  /** Whether a command of the call touches the files, and not the tool itself. */
  byCommand: boolean;
  budget: LookBudget;
}

export function fileRisk(
  effect: FileEffect,
  index: number,
  { effects, ...around }: Around & { effects: readonly Effect[] },
): NamedRisk | undefined {
  const { places } = around;
  if (isNullDevice(effect) || effect.path === '/dev/tty') return undefined;
  const command = effects.filter((other) => other.kind === 'command')[effect.by?.command ?? -1];
  const base = { effects: [index], ...(command && { part: command.text }) };
  const secret = effect.listing ? undefined : secretAt(effect, places);
  if (effect.access === 'read') {
    if (secret === undefined) return undefined;
    const name = nameOf(effect, places);
    return { ...base, kind: 'secrets', level: 'high', undoable: false, verb: 'reads', name, about: `, ${secret}` };
  }
  const risk = writeRisk(effect, command, { ...around, secret });
  return risk && { ...base, ...risk };
}

function writeRisk(
  effect: FileEffect,
  command: CommandEffect | undefined,
  { secret, places, byCommand, budget }: Around & { secret: string | undefined },
): Omit<NamedRisk, 'effects' | 'part'> | undefined {
  const { workspace, home = [], style } = places;
  const name = nameOf(effect, places);
  const isInside = namesOf(effect).every((each) => isUnder(workspace, each));
  const isGitData = namesOf(effect).some((each) => components(each, style).includes('.git'));
  // Undo keeps what tools write anywhere, and what commands write in the workspace.
  const isOutOfReach =
    isGitData || effect.unresolved !== undefined || (byCommand && (!isInside || isNeverCopied(workspace, home)));
  const { undoable, why = '' }: UndoCoverage = isOutOfReach
    ? { undoable: false }
    : byCommand
      ? undoCoverage(effect, budget)
      : { undoable: true };
  const isTemporary = !isInside && namesOf(effect).every((each) => isUnder(TEMPORARY, each));
  const level = undoable || (isTemporary && effect.unresolved === undefined) ? ('notable' as const) : ('high' as const);
  const facts = { level, undoable, name };
  const outside = isInside ? '' : ', outside the project';
  if (effect.removes) {
    if (effect.unresolved !== undefined) {
      return { ...facts, kind: 'deletes', verb: 'deletes', name: 'files that are not known before it runs', about: '' };
    }
    const critical = criticalPlace(effect, { workspace, home, style });
    if (critical !== undefined && !effect.found) {
      const isNamed = /^(your home|the project) folder$/.test(name);
      const about = isNamed ? '' : `: ${critical}`;
      return { ...facts, kind: 'deletes', level: 'high', undoable: false, verb: 'deletes', about };
    }
    if (isInside && command && commandLine(command)?.name === 'mv') return undefined; // a rename
    const about = `${effect.tree && effect.pattern === undefined && !effect.found ? ' and everything in it' : ''}${outside}${why}`;
    return { ...facts, kind: 'deletes', verb: effect.found ? 'deletes what it finds in' : 'deletes', about };
  }
  const verb = effect.identity === undefined && !effect.tree ? 'creates' : 'writes';
  if (effect.unresolved !== undefined) {
    return {
      ...facts,
      kind: 'writes_outside',
      verb: 'writes',
      name: 'files that are not known before it runs',
      about: '',
    };
  }
  const lasting = { ...facts, level: undoable ? ('notable' as const) : ('high' as const) };
  if (secret !== undefined) return { ...lasting, kind: 'secrets', verb, about: `, ${secret}${outside}` };
  if (protectedPlace(effect, style) !== undefined) {
    return { ...lasting, kind: 'startup', verb, about: `, which can run programs${outside}` };
  }
  if (isInside) return undefined;
  if (isTemporary) return { ...facts, kind: 'writes_outside', verb, about: outside };
  const rights = effect.tree && command ? changedRights(commandLine(command)) : undefined;
  if (rights) return { ...facts, kind: 'privileges', ...rights };
  const below = effect.tree ? ' and what is below it' : '';
  return { ...facts, kind: 'writes_outside', verb, about: `${below}${outside}` };
}

/** What a recursive chmod or chown does to the files below a folder: it writes none of them. */
function changedRights(line: ReturnType<typeof commandLine>): Pick<NamedRisk, 'verb' | 'about'> | undefined {
  if (line?.name === 'chmod') {
    return WORLD_WRITABLE.test(line.operands.join(' '))
      ? { verb: 'makes every file below', about: ' writable by everyone' }
      : { verb: 'changes the rights of everything below', about: '' };
  }
  if (line?.name !== 'chown' && line?.name !== 'chgrp') return undefined;
  return { verb: 'changes the owner of everything below', about: '' };
}

/** What is there is expected to go away. */
const TEMPORARY = ['/tmp', '/var/tmp', '/private/tmp'];

/** A symlink is named with its target, since that is what changes. */
function nameOf({ path, real, pattern }: FileEffect, places: RiskPlaces): string {
  const name = placeWords(pattern ?? path, places);
  return real === path || pattern !== undefined ? name : `${name} → ${placeWords(real, places)}`;
}
