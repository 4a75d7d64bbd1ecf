// Stack traces that name the files and lines of the sources. They need the source maps of the build, which a clone has and
// the published package leaves out: without a map, a frame stays as it is.
'use strict';
const fs = require('node:fs');
const { dirname, resolve } = require('node:path');

const maps = new Map();

/** The stack of an error as text, from its frames. */
exports.sourceStack = function sourceStack(error, frames) {
  return [headOf(error), ...frames.map(inSource)].join('\n    at ');
};

function headOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

function inSource(frame) {
  const shown = String(frame);
  const file = frame.getFileName();
  const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
  if (!file?.endsWith('.cjs') || !line || !column) return shown;
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  if (entry?.originalSource === undefined) return shown;
  const source = resolve(dirname(file), entry.originalSource);
  return shown.replace(`${file}:${line}:${column}`, () => {
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapOf(file) {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file) {
  try {
    const { SourceMap } = require('node:module');
    return new SourceMap(JSON.parse(fs.readFileSync(`${file}.map`, 'utf8')));
  } catch {
    return undefined; // there is none
  }
}
