#!/usr/bin/env node
// Kept to syntax that old versions of Node can read, so that they can say what is wrong instead of failing to parse.
// CommonJS, like all of the built command line: Node's loader of modules takes longer to start than this program needs.
'use strict';
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `helve needs Node 22.12 or newer, but this is Node ${process.versions.node}.\n` +
      'Install a newer Node. In a clone of Helve, "npx helve" uses the one that npm ci has brought.\n',
  );
  process.exitCode = 2;
} else if (require('node:fs').existsSync(`${__dirname}/../dist/cli.cjs`)) {
  const { loadProgram } = require('./load-program.cjs');
  // V8 calls it when the stack of an error is read for the first time, so it costs nothing at the start.
  Error.prepareStackTrace = (error, frames) => require('./source-stack.cjs').sourceStack(error, frames);
  loadProgram(`${__dirname}/../dist/cli.cjs`).main(process.argv.slice(2));
} else {
  process.stderr.write('helve is not built here: dist/cli.cjs is missing. Run "npm run bundle" in its folder.\n');
  process.exitCode = 2;
}
