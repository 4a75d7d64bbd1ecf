/**
 * Tells whether a path (relative, with slashes) matches one of the globs. As in .gitignore, a glob without a slash is
 * about names in any folder, and one with a slash about whole paths.
 */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs.map((glob) => {
    const trimmed = glob.replace(/^\.\//, '').replace(/\/+$/, '');
    return { ofName: !trimmed.includes('/'), pattern: new RegExp(`^(?:${source(trimmed.replace(/^\//, ''))})$`, 'su') };
  });
  return (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return patterns.some(({ ofName, pattern }) => pattern.test(ofName ? name : path));
  };
}

const TOKEN = /(?:^|\/)\*\*(?:\/|$)|\*+|\?|\[(!?)([^\]/]+)\]|\{([^{}]*)\}|[\s\S]/gu;

function source(glob: string): string {
  return glob.replace(
    TOKEN,
    (token, negated: string | undefined, set: string | undefined, choices: string | undefined) => {
      if (/^\/?\*\*\/?$/.test(token) && token !== '**')
        return token.startsWith('/') && token.endsWith('/') ? '/(?:.*/)?' : token.startsWith('/') ? '/.*' : '(?:.*/)?';
      if (token === '**') return '.*';
      if (token.startsWith('*')) return '[^/]*';
      if (token === '?') return '[^/]';
      if (set !== undefined) return `(?!/)[${negated ? '^' : ''}${set.replace(/[\\[\]^&]/g, '\\$&')}]`;
      if (choices !== undefined) return `(?:${choices.split(',').map(source).join('|')})`;
      return token.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    },
  );
}
