import { nearestWords } from '../platform/text/similar-text.js';

/** What people type who know another agent, and what does it here. */
const elsewhere: ReadonlyArray<[words: readonly string[], way: string]> = [
  [
    ['perms', 'permission', 'rules', 'allow', 'deny'],
    'For what is allowed here, use helve permissions list or explain.',
  ],
  [
    ['login', 'logout', 'auth', 'setup', 'setup-token', 'apikey'],
    'Keys come from the environment, such as ANTHROPIC_API_KEY; helve models lists them, and helve doctor checks them.',
  ],
  [
    ['init', 'install'],
    'A folder needs no set-up. helve doctor checks the machine, and helve config set writes settings.',
  ],
  [
    ['resume', 'continue'],
    'To take a session up, use helve -p "…" --resume ID, or --continue for the last one; helve sessions lists them.',
  ],
  [['session', 'history', 'chats', 'conversations'], 'For the conversations that are kept, use helve sessions.'],
  [['settings', 'set', 'get', 'trust'], 'For settings and trust, use helve config.'],
  [['rewind', 'revert', 'restore', 'checkpoint'], 'To take back what calls did to files, use helve undo.'],
  [['log', 'logs'], 'For what was decided and done, use helve audit show last.'],
  [['version'], 'For the version, use helve --version.'],
  [['update', 'upgrade'], 'Helve does not update itself. Install the newer version as you have installed this one.'],
];

/** One sentence on a word that is no command, and the nearest thing that there is. */
export function unknownCommand(word: string, commands: readonly string[]): string {
  const known = elsewhere.find(([words]) => words.includes(word.toLowerCase()))?.[1];
  if (known !== undefined) return `There is no command "${word}". ${known}`;
  const [nearest] = nearestWords(word, commands);
  const meant = nearest ? ` Did you mean "helve ${nearest}"?` : '';
  return `There is no command "${word}".${meant} To send a prompt, use helve -p "…".`;
}
