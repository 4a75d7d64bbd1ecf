// Which addresses of repositories and which refs a client may name. Git has transports that run any program (`ext::`), and
// takes a word that begins with a dash for an option.
import { WorkspaceProblem } from './workspace-problem.js';

const SCHEMES: ReadonlySet<string> = new Set(['https:', 'http:', 'ssh:', 'file:']);
const MAX_CHARS = 2_000;
/** Of another machine, as `scp` writes it: user@host:path. */
const SHORT_SSH = /^[\w.-]+@[\w.-]+:[^:\s-][^\s]*$/;
const REF = /^(?!.*(?:\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)))[\w@][\w./@+#=-]*(?<![./])$/;

/** The protocols that git may use, for GIT_ALLOW_PROTOCOL. */
export const ALLOWED_PROTOCOLS = [...SCHEMES].map((scheme) => scheme.slice(0, -1)).join(':');

/** Throws `WorkspaceProblem`. */
export function assertRepository(url: string): void {
  const refuse = (why: string): never => {
    throw new WorkspaceProblem(`The repository ${JSON.stringify(withoutSecrets(url).slice(0, 200))} ${why}`);
  };
  if (url.length > MAX_CHARS || /[\s\p{Cc}]/u.test(url) || url.startsWith('-')) {
    refuse('is not an address. Give one such as https://git.example/shop.git.');
  }
  if (SHORT_SSH.test(url)) return;
  const parsed = URL.parse(url);
  if (!parsed || url.includes('::') || !SCHEMES.has(parsed.protocol)) {
    refuse(
      'has no scheme that workers use. They clone from https, http, ssh and file addresses, and from user@host:path.',
    );
  }
  if (parsed && (parsed.password !== '' || (parsed.protocol.startsWith('http') && parsed.username !== ''))) {
    refuse(
      'has a name or a password in its address, which would be stored in the database. Leave them out, and set up a git credential helper for the user that runs the workers.',
    );
  }
}

/** A branch, a tag, a ref such as refs/pull/1/head, or a full commit id. Throws `WorkspaceProblem`. */
export function assertRef(ref: string): void {
  if (REF.test(ref) && ref.length <= 250) return;
  throw new WorkspaceProblem(
    `${JSON.stringify(ref.slice(0, 200))} is not a ref. Give a branch, a tag or the full id of a commit.`,
  );
}

/** The address for messages. */
export const withoutSecrets = (url: string): string => url.replace(/^(\w+:\/\/)[^/@]*@/, '$1');
