// The bundler splits the code that commands and tools share into dozens of parts, one for each set of sharers, and finding,
// reading and linking each part takes time. This joins parts that are always needed together into one file.
import { createHash } from 'node:crypto';
import { posix, relative, sep } from 'node:path';
import { build } from 'esbuild';

/**
 * Takes the parts that a build with `write: false` and inline source maps gave, and writes them, joined in groups: each is
 * all that its `sources` need and no group before it has, or of that only what `sharedWith` needs too. What `entry`, the
 * first file, needs itself stays apart. Gives the result of the second build.
 */
export async function joinParts({ metafile, outputFiles }, { entry, groups, options }) {
  const parts = new Map(outputFiles.map(({ path, text }) => [relative('.', path).replaceAll(sep, '/'), inAscii(text)]));
  // One hash in the names of all files of a build, so that files of two builds are never mixed.
  const mark = createHash('sha256')
    .update([...parts.values(), JSON.stringify(groups)].join())
    .digest('hex')
    .slice(0, 8);
  const marked = (path) => (path === entry ? path : path.replace(/\.mjs$/, `-${mark}.mjs`));
  const built = (path) => marked(path).replace(/\.mjs$/, '.cjs');
  const numbers = new Map([...parts.keys()].map((part, number) => [part, number]));

  const groupOf = new Map([[entry, undefined]]);
  const members = new Map();
  for (const { name, sources, sharedWith } of groups) {
    const group = `${posix.dirname(entry)}/chunks/${name}.mjs`;
    const others = sharedWith && needs(partOf(sharedWith));
    const own = [...new Set(sources.flatMap((source) => [...needs(partOf(source))]))].filter(
      (part) => !groupOf.has(part) && (!others || others.has(part)),
    );
    members.set(group, own);
    for (const part of own) groupOf.set(part, group);
  }
  const isImported = (part) => metafile.outputs[part].entryPoint !== undefined;
  const alone = [...parts.keys()].filter((part) => groupOf.get(part) === undefined || isImported(part));

  return await build({
    ...options,
    splitting: false,
    entryPoints: [...members.keys(), ...alone].map((path) => ({ in: path, out: marked(path).replace(/\.mjs$/, '') })),
    outdir: '.',
    // For bin/load-program.cjs: functions in plain scripts, since V8 returns compiled code for scripts only.
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    charset: 'ascii',
    banner: { js: '(function (exports, require, module, __filename) {' },
    footer: { js: '})' },
    supported: { 'dynamic-import': false },
    define: { ...options.define, 'import.meta.url': '__filename' },
    // Less to read at each start. Names stay, and lines stay short enough to locate an error.
    minifyWhitespace: true,
    lineLimit: 120,
    plugins: [{ name: 'join-parts', setup }],
  });

  function setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ kind, path, importer, pluginData }) => {
      if (kind === 'entry-point') {
        const file = posix.normalize(path);
        return { path: file, namespace: groupOf.get(file) ? 'door' : 'part', pluginData: { file } };
      }
      const { file } = pluginData;
      const part = path.startsWith('.') ? posix.join(posix.dirname(importer), path) : path;
      const outside = (target) => ({ path: relativeTo(file, built(target)), external: true });
      if (members.has(part)) return outside(part);
      if (!parts.has(part)) return { path, external: true };
      const group = groupOf.get(part);
      if (kind === 'dynamic-import' || group === undefined) return outside(part);
      if (group === file) return { path: part, namespace: 'part', pluginData };
      // The suffix keeps a door of the entry, which is in another folder, apart from the same door of a chunk.
      return { path: part, namespace: 'door', suffix: `?${posix.dirname(file)}`, pluginData };
    });
    onLoad({ filter: /.*/, namespace: 'part' }, ({ path, pluginData }) => ({
      contents: members.has(path) ? allOf(path) : parts.get(path),
      pluginData,
    }));
    onLoad({ filter: /.*/, namespace: 'door' }, ({ path, pluginData }) => ({ contents: doorTo(path), pluginData }));
  }

  /** All exports of the parts of a group, each under a unique name. */
  function allOf(group) {
    const lines = members.get(group).map((part) => {
      const given = names(part).map(([plain, full]) => `${plain} as ${full}`);
      return `export { ${given.join(', ')} } from '${relativeTo(group, part)}';`;
    });
    return lines.join('\n');
  }

  /** The exports of one part of a group, for code outside the group. */
  function doorTo(part) {
    const taken = names(part).map(([plain, full]) => `${full} as ${plain}`);
    return `export { ${taken.join(', ')} } from '${relativeTo(part, groupOf.get(part))}';`;
  }

  function names(part) {
    return metafile.outputs[part].exports.map((plain) => [plain, `${plain}_${numbers.get(part)}`]);
  }

  function partOf(source) {
    const isIt = (path = '') => path === source || path.endsWith(`/${source}`); // dependencies may lie behind a link
    const part = Object.keys(metafile.outputs).find((path) => isIt(metafile.outputs[path].entryPoint));
    if (part === undefined) throw new Error(`${source} is not imported by import(), so it is no part of its own.`);
    return part;
  }

  function needs(part, found = new Set()) {
    if (found.has(part)) return found;
    found.add(part);
    for (const { kind, path } of metafile.outputs[part].imports) {
      if (kind === 'import-statement' && parts.has(path)) needs(path, found);
    }
    return found;
  }
}

/** The bundler leaves regular expressions as they are, and the loader takes each byte for a character. */
function inAscii(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is meant
  return text.replace(/(\\*)([^\u0000-\u007f])/g, (_, slashes, unit) => {
    const before = slashes.slice(slashes.length % 2); // one that escapes the character says nothing
    return `${before}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The path from a file to another one, as an import has it. */
function relativeTo(file, path) {
  const found = posix.relative(posix.dirname(file), path);
  return found.startsWith('.') ? found : `./${found}`;
}
