#!/usr/bin/env node
// Kept to syntax that old versions of Node can read, so that they can say what is wrong instead of failing to parse.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `helve needs Node 22.12 or newer, but this is Node ${process.versions.node}.\n` +
      'Install a newer Node. In a clone of Helve, "npx helve" uses the one that npm ci has brought.\n',
  );
  process.exitCode = 2;
} else {
  keepCompiledCode();
  import('../dist/cli.mjs').then(
    ({ main }) => main(process.argv.slice(2)),
    (error) => {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      process.stderr.write('helve is not built here: dist/cli.mjs is missing. Run "npm run bundle" in its folder.\n');
      process.exitCode = 2;
    },
  );
}

// Compiled code is kept for the next start, in a private folder: whoever could write it could make us run anything.
function keepCompiledCode() {
  if (process.argv[2] === '--version' || process.argv[2] === '-v') return;
  const { enableCompileCache } = process.getBuiltinModule('node:module');
  const { homedir } = process.getBuiltinModule('node:os');
  const folder = `${process.env.HELVE_HOME || `${homedir()}/.helve`}/cache`;
  try {
    process.getBuiltinModule('node:fs').mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(folder);
  } catch {
    // slower, but no worse
  }
}
