import { nearestWords, wordSimilarity } from '../platform/text/similar-text.js';

const SLIP = 0.7; // one letter in four: below this a word is more likely the start of a prompt

/** Commands of other agents, and their equivalents here. */
const elsewhere: ReadonlyArray<[words: readonly string[], way: string]> = [
  [
    ['perms', 'permission', 'rules', 'allow', 'deny'],
    'For what is allowed here, use helve permissions list or explain.',
  ],
  [
    ['signin', 'signout', 'auth', 'setup', 'setup-token', 'apikey'],
    'Keys come from the environment, such as ANTHROPIC_API_KEY; helve models lists them, helve doctor checks them, and helve login signs in to some providers.',
  ],
  [
    ['init', 'install'],
    'A folder needs no set-up. helve doctor checks the machine, and helve config set writes settings.',
  ],
  [
    ['resume', 'continue'],
    'To resume a session, use helve --resume ID, or --continue for the last one; without an ID you choose it.',
  ],
  [['export', 'share'], 'To export a conversation, use helve sessions export.'],
  [['session', 'history', 'chats', 'conversations'], 'For saved conversations, use helve sessions.'],
  [['chat', 'start', 'run', 'ask'], 'A conversation starts with helve alone, and helve -p "…" runs one prompt.'],
  [['list', 'ls'], 'For saved conversations, use helve sessions; for tools, helve tools; for models, helve models.'],
  [['settings', 'set', 'get', 'trust'], 'For settings and trust, use helve config.'],
  [['rewind', 'revert', 'restore', 'checkpoint'], 'To undo changes to files, use helve undo.'],
  [['log', 'logs'], 'For what was decided and done, use helve audit show last.'],
  [['version'], 'For the version, use helve --version.'],
  [['update', 'upgrade'], 'Helve does not update itself. Install the newer version as you installed this one.'],
];

/**
 * The command that words at the terminal resemble, and how to send them to the model anyway. Undefined if they are a
 * prompt: several words, or one that resembles no command.
 */
export function meantCommand(words: readonly string[], commands: readonly string[]): string | undefined {
  const [word = '', next] = words;
  if (/\s/.test(word)) return undefined;
  const isAlone = next === undefined || next.startsWith('-');
  const way = isAlone ? elsewhere.find(([known]) => known.includes(word.toLowerCase()))?.[1] : undefined;
  const nearest = nearestWords(word, commands).find((name) => wordSimilarity(word, name) >= SLIP);
  const meant = way ?? (nearest === undefined ? undefined : `Did you mean "helve ${nearest}"?`);
  if (meant === undefined) return undefined;
  return `There is no command "${word}". ${meant} To send it to the model, use helve -- ${isAlone ? word : `${word} …`}`;
}

/** Whether words are a prompt: a text with blanks, or several words that begin with nothing that resembles a command. */
export function isPrompt(words: readonly string[], commands: readonly string[]): boolean {
  const [word = '', next] = words;
  if (/\s/.test(word)) return true;
  return next !== undefined && !next.startsWith('-') && meantCommand(words, commands) === undefined;
}

/** The error for an unknown command, with the nearest known one. */
export function unknownCommand(word: string, commands: readonly string[]): string {
  const known = elsewhere.find(([words]) => words.includes(word.toLowerCase()))?.[1];
  if (known !== undefined) return `There is no command "${word}". ${known}`;
  const nearest = nearestWords(word, commands).find((name) => wordSimilarity(word, name) >= SLIP);
  const meant = nearest ? ` Did you mean "helve ${nearest}"?` : '';
  return `There is no command "${word}".${meant} To send a prompt, use helve -p "…".`;
}
