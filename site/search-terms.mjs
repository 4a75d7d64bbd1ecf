// How texts are cut into terms: the same when the index is built and when a person searches.

/** Words of questions that say nothing about their subject. */
const empty = new Set(
  'a an and are as at be by can do does for from get has have how i if in is it its me my of on or our should so than that the their them then there these they this to use was we what when where which who why will with without you your'.split(
    ' ',
  ),
);

/** Different words for one thing: people ask with the left one, pages use the right one. */
const synonyms = {
  access: ['read', 'permission'],
  allow: ['permission', 'rule'],
  approve: ['permission'],
  block: ['deny', 'permission', 'rule'],
  broken: ['troubleshooting'],
  cheaper: ['cost'],
  commit: ['git'],
  cost: ['budget', 'price'],
  costs: ['cost', 'budget'],
  docker: ['container', 'sandbox'],
  expensive: ['cost'],
  gpt: ['openai'],
  forbid: ['deny', 'permission', 'rule'],
  ide: ['editor'],
  ignored: ['ignore', 'instruction', 'troubleshooting'],
  internet: ['network', 'local'],
  jetbrains: ['editor'],
  mac: ['macos'],
  money: ['cost', 'budget'],
  offline: ['local'],
  ollama: ['local'],
  pr: ['pull', 'request'],
  price: ['cost'],
  privacy: ['leaves', 'telemetry'],
  revert: ['undo'],
  rollback: ['undo'],
  shortcut: ['keys'],
  shortcuts: ['keys'],
  spend: ['budget', 'cost'],
  stop: ['esc', 'stops'],
  telemetry: ['leaves'],
  training: ['trains', 'provider', 'leaves'],
  uninstall: ['remove'],
  upgrade: ['update'],
  vscode: ['editor'],
};

/** One form for the endings that people vary: "costs", "costing" and "cost". */
export function processTerm(term) {
  const word = term.toLowerCase();
  if (empty.has(word)) return null;
  if (word === 'windows') return word; // the system, not what is in a terminal
  if (word.length > 4 && /[^s]s$/.test(word)) return word.slice(0, -1);
  return word;
}

export function expandQuery(query) {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  const more = words.flatMap((word) => synonyms[word] ?? []);
  return { words: words.join(' '), more: more.join(' ') };
}

export const fields = {
  fields: ['question', 'title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'url', 'start', 'weight'],
};
