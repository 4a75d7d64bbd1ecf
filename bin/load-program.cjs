// Loads the parts of the built command line, each with the code that V8 compiled for it in earlier runs. Node's own
// compile cache saves a module before its first line runs, so that every start compiles each function again on its first
// call; the cache here includes the functions that runs have called. docs/decisions/0018 and 0046 have figures.
'use strict';
const fs = require('node:fs');
const { createRequire } = require('node:module');
const { homedir } = require('node:os');
const { basename, dirname, join, resolve } = require('node:path');
const { Script } = require('node:vm');

const WORTH_KEEPING = 16_384; // characters: less is compiled as fast as it is read
const WORTH_LEARNING = 16_384; // bytes of code that no run before has compiled
const MOST_SETS = 200;
const UNUSED_MS = 30 * 24 * 3_600_000;
const HASH_BYTES = 20;

/** Returns the exports of the part at this path. Parts that it needs are loaded on demand. */
exports.loadProgram = function loadProgram(path) {
  const parts = new Map();
  const kept = [];
  const data = process.env.HELVE_HOME || join(homedir(), '.helve');
  const folder = join(data, 'cache', `${process.version}-${process.arch}`);
  const isTrusted = isOurAlone(folder);

  const load = (file) => {
    const known = parts.get(file);
    if (known) return known;
    const part = { exports: {} };
    parts.set(file, part);
    const source = fs.readFileSync(file, 'latin1'); // the build writes nothing but ASCII
    const place = source.length < WORTH_KEEPING ? undefined : join(folder, basename(file, '.cjs'));
    const cachedData = place && isTrusted ? readKept(place) : undefined;
    const script = new Script(source, { filename: file, cachedData });
    if (place) kept.push({ script, place, bytes: script.cachedDataRejected === false ? cachedData.length : 0 });
    script.runInThisContext()(part.exports, requireFrom(file), part, file);
    return part;
  };
  const requireFrom = (file) => {
    const near = new Map(); // a part names the same few parts again and again, and a path takes long to resolve
    let outside;
    return (name) => {
      const known = near.get(name);
      if (known) return known.exports;
      if (name.startsWith('./') || name.startsWith('../')) {
        const part = load(resolve(dirname(file), name));
        near.set(name, part);
        return part.exports;
      }
      if (name.startsWith('node:')) return require(name);
      outside ??= createRequire(file);
      return outside(name);
    };
  };

  // Code that was compiled under other flags is useless to the next run.
  const isOrdinary = process.execArgv.length === 0 && !process.env.NODE_OPTIONS;
  if (isOrdinary) process.on('exit', () => learn(folder, [...parts.keys()], kept));
  return load(resolve(path)).exports;
};

/**
 * The cached code, or undefined if there is none that can be trusted: a program that can write it can make Helve run
 * anything, and V8 runs damaged code without a check. Its name contains a hash of the build, which ties it to the source.
 */
function readKept(path) {
  let file;
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW || 0));
    const stats = fs.fstatSync(file);
    const { size } = stats;
    if (!isWrittenByUsAlone(stats) || size <= HASH_BYTES) return undefined;
    const bytes = Buffer.allocUnsafeSlow(size);
    if (fs.readSync(file, bytes) !== size) return undefined;
    const body = bytes.subarray(HASH_BYTES);
    return hashOf(body).compare(bytes, 0, HASH_BYTES) === 0 ? body : undefined;
  } catch {
    return undefined; // slower, but no worse
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

const isWrittenByUsAlone = ({ uid, mode }) => !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0);

/** Not through a link, whose target another user may have chosen: old files are deleted in this folder. */
function isOurAlone(folder) {
  try {
    const stats = fs.lstatSync(folder);
    return stats.isDirectory() && isWrittenByUsAlone(stats);
  } catch {
    return false; // it is not there yet
  }
}

/** Detects damage, not attacks. */
const hashOf = (bytes) => require('node:crypto').hash('sha1', bytes, 'buffer');

/** Saves the compiled code if it is more than any earlier run with the same parts has saved. */
function learn(folder, parts, kept) {
  if (kept.length === 0) return;
  try {
    makePrivate(folder);
    if (!isOurAlone(folder)) return;
    const list = join(folder, 'learned.json');
    const learned = readLearned(list);
    const set = parts.map((part) => basename(part, '.cjs')).join(' ');
    const { bytecode_and_metadata_size: compiled } = require('node:v8').getHeapCodeStatistics();
    const isComplete = kept.every(({ bytes }) => bytes > 0);
    if (isComplete && compiled < (learned[set] ?? 0) + WORTH_LEARNING) return;
    for (const { script, place, bytes } of kept) {
      const body = script.createCachedData();
      if (body.length > bytes) write(place, Buffer.concat([hashOf(body), body])); // in a long run V8 lets go of some
    }
    const others = Object.entries(learned).slice(1 - MOST_SETS);
    write(list, JSON.stringify({ ...Object.fromEntries(others), [set]: compiled }));
    if (learned[set] === undefined) removeUnused(folder);
  } catch {
    // a full disk, or a folder that can't be written: the next start is slower, but no worse
  }
}

function readLearned(path) {
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8')) ?? {};
  } catch {
    return {};
  }
}

function write(path, content) {
  const temporary = `${path}.${process.pid}`;
  try {
    fs.writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
    fs.renameSync(temporary, path);
  } catch (error) {
    // On a full disk a part of it would take the last bytes. One that is there is of a killed run with the same id.
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** One by one: with `recursive`, Node retries forever where no folder can be created, as below /proc. */
function makePrivate(folder) {
  for (const path of [dirname(dirname(folder)), dirname(folder), folder]) {
    if (!fs.existsSync(path)) fs.mkdirSync(path, { mode: 0o700 });
  }
}

/** Files of versions that are gone, and incomplete files of killed runs. */
function removeUnused(folder) {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - fs.statSync(path).mtimeMs > UNUSED_MS) fs.rmSync(path, { force: true });
  }
}
