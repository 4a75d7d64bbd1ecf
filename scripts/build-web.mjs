// Bundles the web view into a folder: a script, its parts that load when they are needed, one style sheet, all with
// hashes in their names, an icon, and index.html without inline script or style.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, transform } from 'esbuild';

export async function buildWeb(folder) {
  const { outputFiles, metafile } = await build({
    entryPoints: { helve: 'src/web/main.tsx', style: 'src/web/styles/index.css' },
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
    plugins: [markdownParser(), styleSheets()],
  });
  const assets = join(folder, 'assets');
  mkdirSync(assets, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  writeFileSync(join(assets, 'icon.svg'), readFileSync('src/web/icon.svg'));
  const names = outputFiles.map(({ path }) => basename(path));
  const nameOf = (start) => `/assets/${names.find((name) => name.startsWith(start))}`;
  const page = readFileSync('src/web/index.html', 'utf8')
    .replace('STYLE', nameOf('style-'))
    .replace('SCRIPT', nameOf('helve-'));
  writeFileSync(join(folder, 'index.html'), page);
  // Those of earlier builds, after the new ones are written.
  for (const name of readdirSync(assets)) {
    if (name !== 'icon.svg' && !names.includes(name)) rmSync(join(assets, name), { force: true });
  }
  return metafile;
}

/**
 * Leaves out the half of the Markdown parser that makes HTML. The bundler removes unused classes by itself, but the end of
 * the module makes an instance of all of them and adds properties to a function, which counts as used.
 */
function markdownParser() {
  return {
    name: 'markdown-parser',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]marked\.esm\.js$/ }, ({ path }) => ({
        contents: onlyClasses(readFileSync(path, 'utf8')),
      }));
    },
  };
}

function onlyClasses(source) {
  const [, classes, list] = /^(.*\};)var \w+=new \w+;function .*export\{([^}]*)\};/s.exec(source) ?? [];
  if (classes === undefined) throw new Error('The end of the Markdown parser is not what it was: look at onlyClasses.');
  const names = list.split(',').filter((each) => / as (?:Lexer|Tokenizer|getDefaults)$/.test(each));
  return `${classes}export{${names.join(',')}};`;
}

/** `import sheet from './pages.css' with { type: 'css' }`, which not all browsers know by themselves. */
function styleSheets() {
  return {
    name: 'style-sheets',
    setup({ onLoad }) {
      onLoad({ filter: /\.css$/ }, async (file) => {
        if (file.with.type !== 'css') return undefined;
        const { code } = await transform(readFileSync(file.path, 'utf8'), { loader: 'css', minify: true });
        const text = JSON.stringify(code.trim());
        return {
          contents: `const sheet = new CSSStyleSheet(); sheet.replaceSync(${text}); export default sheet;`,
          loader: 'js',
        };
      });
    },
  };
}
