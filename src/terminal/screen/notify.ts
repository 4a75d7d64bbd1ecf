// Notifies a user who is looking elsewhere, with whatever the terminal supports.

export interface NotifyOptions {
  write(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
  /** How to notify, or not at all: asked each time, since settings are read after the first frame. Default: auto. */
  way?(): string | undefined;
}

export type Notify = (text: string) => void;

const BELL = '\u0007';

/** `auto`: a desktop notification if the terminal is known to support it, else the bell. */
export function createNotify({ write, env, way }: NotifyOptions): Notify {
  return (text) => {
    const wanted = way?.() ?? 'auto';
    const chosen = wanted === 'auto' ? wayOf(env) : wanted;
    // Removes characters that would end the escape sequence early.
    const words = text.replaceAll(/[\p{Cc};]/gu, ' ').slice(0, 200);
    if (chosen === 'off') return;
    if (chosen === 'osc9') write(throughTmux(`\u001b]9;Helve: ${words}${BELL}`, env));
    else if (chosen === 'osc777') write(throughTmux(`\u001b]777;notify;Helve;${words}${BELL}`, env));
    else if (chosen === 'osc99') write(throughTmux(`\u001b]99;;Helve: ${words}\u001b\\`, env));
    write(BELL);
  };
}

function wayOf(env: NotifyOptions['env']): string {
  const program = env['TERM_PROGRAM'] ?? '';
  if (env['KITTY_WINDOW_ID']) return 'osc99';
  if (program === 'ghostty' || /^rxvt/.test(env['TERM'] ?? '')) return 'osc777';
  if (program === 'iTerm.app' || program === 'WezTerm' || env['WT_SESSION']) return 'osc9';
  return 'bell';
}

/** tmux passes on only sequences that are wrapped for it. */
const throughTmux = (text: string, env: NotifyOptions['env']): string =>
  env['TMUX'] ? `\u001bPtmux;${text.replaceAll('\u001b', '\u001b\u001b')}\u001b\\` : text;
