// Loads the parts of the built command line, each with the code that V8 compiled for it in earlier runs. Node's own
// compile cache keeps a module as it stands before its first line runs, so that at each start every function is compiled
// anew on its first call; what is kept here holds the functions that runs have called. docs/decisions/0018 has figures.
'use strict';
const fs = require('node:fs');
const { createRequire } = require('node:module');
const { homedir } = require('node:os');
const { basename, dirname, join, resolve } = require('node:path');
const { Script } = require('node:vm');

const LEARNING_RUNS = 5; // each adds the functions that it was the first to call; then there is little left to add
const WORTH_KEEPING = 16_384; // characters: less is compiled as fast as it is read
const UNUSED_MS = 30 * 24 * 3_600_000;
const HASH_BYTES = 20;

/** Gives what the part at this path exports. What it needs of others is loaded when it asks for it. */
exports.loadProgram = function loadProgram(path) {
  const parts = new Map();
  const learning = [];
  const data = process.env.HELVE_HOME || join(homedir(), '.helve');
  const folder = join(data, 'cache', `${process.version}-${process.arch}`);

  const load = (file) => {
    const known = parts.get(file);
    if (known) return known.exports;
    const part = { exports: {} };
    parts.set(file, part);
    const source = fs.readFileSync(file, 'latin1'); // the build writes nothing but ASCII
    const kept = source.length < WORTH_KEEPING ? undefined : join(folder, basename(file, '.cjs'));
    const { code, runs = 0 } = (kept && readKept(kept)) || {};
    const script = new Script(source, { filename: file, cachedData: code });
    const isUsed = code !== undefined && !script.cachedDataRejected;
    if (kept && !(isUsed && runs >= LEARNING_RUNS)) learning.push({ script, kept, runs: isUsed ? runs + 1 : 1 });
    script.runInThisContext()(part.exports, requireFrom(file), part, file);
    return part.exports;
  };
  const requireFrom = (file) => {
    let outside;
    return (name) => {
      if (name.startsWith('./') || name.startsWith('../')) return load(resolve(dirname(file), name));
      if (name.startsWith('node:')) return require(name);
      outside ??= createRequire(file);
      return outside(name);
    };
  };

  // Compiled under other flags, it would be of no use to the next run.
  const isOrdinary = process.execArgv.length === 0 && !process.env.NODE_OPTIONS;
  if (isOrdinary) process.on('exit', () => keep(folder, learning));
  return load(resolve(path));
};

/**
 * What was kept, or undefined where there is nothing to be trusted: whoever can write it can make us run anything, and V8
 * runs damaged code without a look. That it belongs to the source is told by its name, which holds a hash of the build.
 */
function readKept(path) {
  let file;
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW || 0));
    const { uid, mode, size } = fs.fstatSync(file);
    const isOurs = !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0);
    if (!isOurs || size <= HASH_BYTES + 1) return undefined;
    const bytes = Buffer.allocUnsafeSlow(size);
    if (fs.readSync(file, bytes) !== size) return undefined;
    const body = bytes.subarray(HASH_BYTES);
    if (hashOf(body).compare(bytes, 0, HASH_BYTES) !== 0) return undefined;
    return { runs: body[0], code: body.subarray(1) };
  } catch {
    return undefined; // slower, but no worse
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** Against accidents, not against people. */
const hashOf = (bytes) => require('node:crypto').hash('sha1', bytes, 'buffer');

function keep(folder, learning) {
  if (learning.length === 0) return;
  try {
    makePrivate(folder);
    for (const { script, kept, runs } of learning) {
      const body = Buffer.concat([Buffer.from([runs]), script.createCachedData()]);
      const temporary = `${kept}.${process.pid}`;
      fs.writeFileSync(temporary, Buffer.concat([hashOf(body), body]), { flag: 'wx', mode: 0o600 });
      fs.renameSync(temporary, kept);
    }
    if (learning.some(({ runs }) => runs === 1)) removeUnused(folder);
  } catch {
    // a full disk, or a folder that can't be written: the next start is slower, but no worse
  }
}

/** One by one: told to make all of them, Node tries for ever where nothing can be made, as below /proc. */
function makePrivate(folder) {
  for (const path of [dirname(dirname(folder)), dirname(folder), folder]) {
    if (!fs.existsSync(path)) fs.mkdirSync(path, { mode: 0o700 });
  }
}

/** Of versions that are gone, and what a run that was killed left half written. */
function removeUnused(folder) {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - fs.statSync(path).mtimeMs > UNUSED_MS) fs.rmSync(path, { force: true });
  }
}
