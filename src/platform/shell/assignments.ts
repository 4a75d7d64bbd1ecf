// Variables that a command may set without a question. A variable can change which program runs, where it looks and
// what it loads, so variables for a program must be on a short list; a variable of the shell itself only must not be
// one that programs read.
import type { Assigned } from './programs/program.js';

const harmlessForPrograms =
  /^(LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|TERM|COLUMNS|LINES|CI|NODE_ENV|DEBUG|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE)$/;

// Switched off, as people do to keep a program from waiting for a key.
const pagers = /^(PAGER|GIT_PAGER|MANPAGER)$/;

/** Whether a variable given to a program (`NO_COLOR=1 git diff`) does not change its effects. */
export function isHarmlessAssignment({ name, value }: Assigned): boolean {
  if (value === undefined) return false;
  if (pagers.test(name)) return value === 'cat' || value === '';
  if (name === 'GIT_OPTIONAL_LOCKS') return value === '0'; // with another value git writes the index
  return harmlessForPrograms.test(name) && /^[\w.,@+/: -]*$/.test(value) && !/^[/:]|\.\./.test(value);
}

const reservedLowerCase =
  /^(https?_proxy|ftp_proxy|all_proxy|no_proxy|rsync_proxy|npm_.*|path|cdpath|fpath|manpath|mailpath|module_path|prompt.*|psvar|argv|status|signals|histchars|options|aliases|functions|commands|parameters|dirstack|userdirs|nameddirs|watch|auto_resume|_)$/;

const reservedUpperCase =
  /^(HOME|PWD|OLDPWD|IFS|ENV|SHELL|SHELLOPTS|PS[0-4]|VISUAL|BROWSER|CLASSPATH|USER|LOGNAME|MAIL|TMP|TEMP|TMPDIR|OPTIND|OPTARG|OPTERR|SRANDOM|EPOCH.*|FUNCNAME|PIPESTATUS|OSTYPE|HOSTTYPE|MACHTYPE|HOSTNAME|HOSTFILE|SHLVL|READLINE_.*|TMOUT|CHILD_MAX|IGNOREEOF|INSIDE_EMACS|EMACS|MAIL.*|POSIXLY_CORRECT|EXECIGNORE|GLOBIGNORE|FIGNORE|FUNCNEST|FCEDIT|INPUTRC|REPLY|TIMEFORMAT|COPROC|MAPFILE|ZDOTDIR|TERMINFO|TERMCAP|DISPLAY|GROUPS|UID|EUID|PPID|RANDOM|SECONDS|LINENO|DIRSTACK|CC|CXX|LD|AR|MAKE|CARGO|AWK|EDITOR|BC_.*|TAR_.*|BASH.*|ZSH.*|PROMPT.*|HIST.*|COMP_.*|COMPREPLY|LD_.*|DYLD_.*|GIT_.*|SSH_.*|SUDO_.*|DOCKER_.*|KUBE.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|NODE_.*|NPM_.*|YARN_.*|PNPM_.*|BUN_.*|DENO_.*|JAVA_.*|JDK_.*|MAVEN_.*|GRADLE_.*|GO[A-Z].*|CARGO_.*|RUST.*|PHP.*|LUA_.*|LESS.*|MAN.*|GREP_.*|RIPGREP_.*|FZF_.*|LS_.*|JQ_.*|XDG_.*|MALLOC_.*|GLIBC_.*|GCONV_.*|LOC.*|NLS.*|NIX_.*|MAKE.*|CMAKE_.*|CURL_.*|SSL_.*|HTTPS?_.*|FTP_.*|ALL_.*|AWS_.*|HELVE_.*|CLAUDE_.*|ANTHROPIC_.*|OPENAI_.*|.*PATH|.*_HOME|.*PAGER|.*EDITOR|.*OPTS?|.*OPTIONS|.*FLAGS|.*_CONFIG|.*RC|.*_COMMAND|.*_PROXY|.*_PRELOAD)$/;

/** Whether a variable of the shell itself (`dir=src; ls "$dir"`) is only data. */
export function isPlainVariable(name: string): boolean {
  if (harmlessForPrograms.test(name)) return false; // may already be in the environment; checked with its value
  return /^[A-Z0-9_]+$/.test(name) ? !reservedUpperCase.test(name) : !reservedLowerCase.test(name);
}
