#!/usr/bin/env node
// Kept to syntax that old versions of Node can read, so that they can say what is wrong instead of failing to parse.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `helve needs Node 22.12 or newer, but this is Node ${process.versions.node}.\n` +
      'Install a newer Node, or run helve with one from npm: npx --package=node@22 --package=helve helve\n',
  );
  process.exitCode = 2;
} else {
  import('../dist/cli.js').then(
    ({ main }) => main(process.argv.slice(2)),
    (error) => {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      process.stderr.write('helve is not built here: dist/cli.js is missing. Run "npm run bundle" in its folder.\n');
      process.exitCode = 2;
    },
  );
}
