import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { processStat } from './process-stat.js';

/**
 * Variables that hold no secrets, and that other programs read from /proc/PID/environ. Every other variable is
 * overwritten: a key may have any name, since models.json and settings choose it.
 */
const PUBLIC_VARIABLE =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|OLDPWD|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLORTERM|TMPDIR|HOSTNAME|SHLVL|_|LD_\w+|XDG_\w+|HELVE_HOME|HELVE_PROCESS)$/;

/** Options whose value may be JSON that contains keys. */
const OPTIONS_WITH_JSON: readonly string[] = ['--settings', '--mcp-config'];

/** Those, and one whose value may be an address with a password. */
const SECRET_OPTIONS: readonly string[] = [...OPTIONS_WITH_JSON, '--database'];

const ADDRESS_WITH_PASSWORD = /^[a-z]+:\/\/[^/]*:[^/]*@/;

const MAX_BYTES = 4 * 1024 * 1024; // twice the usual limit of arguments and environment together
const FILLER = 'x'.charCodeAt(0);

/**
 * Overwrites secrets in the memory that the kernel shows as /proc/PID/environ and /proc/PID/cmdline, which every process
 * of the same user can read. `process.env` and `process.argv` keep their values. Returns whether that was possible: only
 * on Linux, and where a process may write its own memory by /proc/self/mem.
 *
 * Only for a process of our own, before it starts others or threads: C code that has kept a pointer into the environment
 * would see the overwritten text.
 */
export function hideInitialSecrets(): boolean {
  if (process.platform !== 'linux') return false;
  let memory: number | undefined;
  try {
    memory = openSync('/proc/self/mem', 'r+');
    const { argumentsAt, environmentAt } = initialBlocks();
    hideVariables(memory, environmentAt);
    hideOptions(memory, argumentsAt);
    return true;
  } catch {
    return false; // hardened kernels and unusual containers: only this precaution is lost
  } finally {
    if (memory !== undefined) closeSync(memory);
  }
}

interface Block {
  start: number;
  length: number;
}

function initialBlocks(): { argumentsAt: Block; environmentAt: Block } {
  const fields = processStat('self');
  const blockOf = (field: number): Block => {
    const [start, end] = [Number(fields[field - 3]), Number(fields[field - 2])];
    if (!(start > 0 && end >= start && end - start <= MAX_BYTES))
      throw new Error('the kernel does not say where it is');
    return { start, length: end - start };
  };
  return { argumentsAt: blockOf(48), environmentAt: blockOf(50) };
}

function hideVariables(memory: number, block: Block): void {
  const bytes = readBlock(memory, block);
  const before = Buffer.from(bytes);
  const hidden = new Map<string, string>();
  for (const { from, to } of entriesOf(bytes)) {
    const equals = bytes.indexOf('=', from);
    if (equals <= from || equals >= to) continue;
    const name = bytes.toString('utf8', from, equals);
    const value = process.env[name];
    if (value === undefined || PUBLIC_VARIABLE.test(name)) continue;
    if (!Buffer.from(value).equals(bytes.subarray(equals + 1, to))) continue; // not UTF-8, or a second variable of that name
    hidden.set(name, value);
    bytes.fill(FILLER, equals + 1, to);
  }
  for (const [name, value] of hidden) process.env[name] = value; // a copy: until now libc points into the block
  writeSync(memory, bytes, 0, bytes.length, block.start);
  const isLost = [...hidden].some(([name, value]) => process.env[name] !== value);
  if (isLost) writeSync(memory, before, 0, before.length, block.start);
}

function hideOptions(memory: number, block: Block): void {
  const bytes = readBlock(memory, block);
  let isValue = false;
  let isChanged = false;
  for (const { from, to } of entriesOf(bytes)) {
    const word = bytes.toString('latin1', from, to);
    const option = SECRET_OPTIONS.find((name) => word.startsWith(`${name}=`));
    const start = isValue ? from : option === undefined ? to : from + option.length + 1;
    isValue = SECRET_OPTIONS.includes(word);
    const value = bytes.toString('latin1', start, to).trimStart();
    if (!value.startsWith('{') && !ADDRESS_WITH_PASSWORD.test(value)) continue;
    bytes.fill(FILLER, start, to);
    isChanged = true;
  }
  if (isChanged) writeSync(memory, bytes, 0, bytes.length, block.start);
}

function readBlock(memory: number, { start, length }: Block): Buffer {
  const bytes = Buffer.alloc(length);
  if (readSync(memory, bytes, 0, length, start) !== length) throw new Error('it could not be read as a whole');
  return bytes;
}

function* entriesOf(bytes: Buffer): Generator<{ from: number; to: number }> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0, from);
    const to = end < 0 ? bytes.length : end;
    yield { from, to };
    from = to + 1;
  }
}
