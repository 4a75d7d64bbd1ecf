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
import { isFile, isNeverCopied, type LookBudget, type UndoCoverage, undoCoverage } from './undo-coverage.js';

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

interface WriteAround extends Around {
  secret: string | undefined;
  /** The command of the write also writes outside the project: there a move takes the file to. */
  isMovedOut: boolean;
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
    if (secret === undefined || isCreatedByCall(effect, effects)) return undefined;
    const name = nameOf(effect, places);
    return { ...base, kind: 'secrets', level: 'high', undoable: false, verb: 'reads', name, about: `, ${secret}` };
  }
  const isMovedOut = effects.some(
    (other) =>
      other.kind === 'file' &&
      other.access === 'write' &&
      !other.removes &&
      other.by?.command === effect.by?.command &&
      other.by?.as === 'operand' &&
      !namesOf(other).every((name) => isUnder(places.workspace, name)),
  );
  const risk = writeRisk(effect, command, { ...around, secret, isMovedOut });
  return risk && { ...base, ...risk };
}

/** A tool that writes a whole file declares that it reads it too; of a new one there is nothing to read. */
const isCreatedByCall = ({ identity, real, tree, by }: FileEffect, effects: readonly Effect[]): boolean =>
  identity === undefined &&
  !tree &&
  by === undefined &&
  effects.some((other) => other.kind === 'file' && other.access === 'write' && !other.by && other.real === real);

function writeRisk(
  effect: FileEffect,
  command: CommandEffect | undefined,
  { secret, isMovedOut, places, byCommand, budget }: WriteAround,
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
  if (DISK.test(effect.real) && !effect.removes) {
    return { ...facts, kind: 'privileges', level: 'high', reach: 'disks', verb: 'overwrites the disk', about: '' };
  }
  if (effect.removes) {
    if (effect.unresolved !== undefined) {
      return { ...facts, kind: 'deletes', verb: 'deletes', name: 'files that are not known before it runs', about: '' };
    }
    const critical = criticalPlace(effect, { workspace, home, style });
    if (critical !== undefined && !effect.found) {
      const isNamed = /^(your home|the project) folder$/.test(name);
      const about = isNamed ? '' : `: ${critical}`;
      const reach = isInside ? ('project' as const) : ('disks' as const);
      return { ...facts, kind: 'deletes', level: 'high', undoable: false, reach, verb: 'deletes', about };
    }
    const reach = isInside ? {} : { reach: 'outside' as const };
    const isMove = command !== undefined && commandLine(command)?.name === 'mv';
    if (isMove && isInside && !isMovedOut) return undefined; // a rename
    if (isMove) {
      const about = isInside ? ' out of the project' : `${outside}${why}`;
      return { ...facts, ...reach, kind: 'deletes', verb: 'moves', about };
    }
    const about = `${effect.tree && effect.pattern === undefined && !effect.found && !isFile(effect.real) ? ' and everything in it' : ''}${outside}${why}`;
    return { ...facts, ...reach, kind: 'deletes', verb: effect.found ? 'deletes what it finds in' : 'deletes', about };
  }
  const isLost = effect.replaces === true && effect.identity !== undefined && isFile(effect.real);
  const isNew = effect.identity === undefined && (!effect.tree || effect.replaces === true);
  const verb = isLost ? 'overwrites' : isNew ? 'creates' : 'writes';
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
  if (isInside) return isLost ? { ...lasting, kind: 'overwrites', verb, about: why } : undefined;
  if (isTemporary) return { ...facts, kind: 'writes_outside', verb, about: outside };
  const rights = effect.tree && command ? changedRights(commandLine(command)) : undefined;
  if (rights) return { ...facts, kind: 'privileges', ...rights };
  const below = effect.tree && !isLost && !isNew ? ' and everything in it' : '';
  return { ...facts, kind: 'writes_outside', verb, about: `${below}${outside}` };
}

/** What a recursive chmod or chown does to the files below a folder: it writes none of them. */
function changedRights(line: ReturnType<typeof commandLine>): Pick<NamedRisk, 'verb' | 'about'> | undefined {
  if (line?.name === 'chmod') {
    return WORLD_WRITABLE.test(line.operands.join(' '))
      ? { verb: 'makes', about: ' and everything in it writable by everyone' }
      : { verb: 'changes the rights of', about: ' and everything in it' };
  }
  if (line?.name !== 'chown' && line?.name !== 'chgrp') return undefined;
  return { verb: 'changes the owner of', about: ' and everything in it' };
}

const DISK = /^\/dev\/(r?disk|[hsv]d[a-z]|xvd[a-z]|nvme|mmcblk|mapper\/|md\d|dm-|loop\d)/;

/** What is there is expected to go away. */
const TEMPORARY = ['/tmp', '/var/tmp', '/private/tmp'];

/** A symlink is named with its target, since that is what changes. */
function nameOf({ path, real, pattern }: FileEffect, places: RiskPlaces): string {
  const name = placeWords(pattern ?? path, places);
  return real === path || pattern !== undefined ? name : `${name} → ${placeWords(real, places)}`;
}
