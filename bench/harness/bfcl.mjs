// The Berkeley Function Calling Leaderboard, version 4, as tools in JSON Schema and calls. Its types are Python's.
export const DATA = 'berkeley-function-call-leaderboard/bfcl_eval/data';

/** The sets of one question and one answer. */
export const SINGLE_TURN = [
  'simple_python',
  'simple_java',
  'simple_javascript',
  'multiple',
  'parallel',
  'parallel_multiple',
  'irrelevance',
  'live_simple',
  'live_multiple',
  'live_parallel',
  'live_parallel_multiple',
  'live_irrelevance',
  'live_relevance',
];

/** The cases of these sets: id, tools, and the expected calls with the values that are right for each argument. */
export async function readCases(clone, sets = SINGLE_TURN) {
  const questions = sets.map((set) => `${DATA}/BFCL_v4_${set}.json`);
  const answers = sets.map((set) => `${DATA}/possible_answer/BFCL_v4_${set}.json`);
  const cases = new Map();
  for await (const { text } of clone.texts(questions)) {
    for (const { id, function: functions } of jsonLines(text)) {
      cases.set(id, { id, tools: functions.map(toolOf), expected: [] });
    }
  }
  for await (const { text } of clone.texts(answers)) {
    for (const { id, ground_truth } of jsonLines(text)) {
      const expected = ground_truth.flatMap((call) => Object.entries(call));
      cases.get(id).expected = expected.map(([name, values]) => ({ name: plainName(name), values }));
    }
  }
  return cases;
}

/** Names of tools have no dots. */
export const plainName = (name) => name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);

const TYPES = {
  dict: 'object',
  float: 'number',
  tuple: 'array',
  HashMap: 'object',
  Hashtable: 'object',
  ArrayList: 'array',
  Array: 'array',
  double: 'number',
  long: 'integer',
  short: 'integer',
  byte: 'integer',
  char: 'string',
  String: 'string',
  Boolean: 'boolean',
  Integer: 'integer',
};

function toolOf({ name, description, parameters }) {
  const input_schema = { ...schemaOf(parameters), type: 'object' };
  return { name: plainName(name), shownName: name, description, input_schema };
}

function schemaOf(schema) {
  if (Array.isArray(schema)) return schema.map(schemaOf);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { type, properties, items, additionalProperties, optional: _, ...rest } = schema;
  const named = TYPES[type] ?? type;
  return {
    ...rest,
    ...(named !== undefined && named !== 'any' && { type: named }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, schemaOf(inner)])),
    }),
    ...(items && { items: schemaOf(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: schemaOf(additionalProperties) }),
  };
}

/** The call with the first right value of each argument; an argument whose first value is "" may be left out. */
export function firstAnswer({ name, values }) {
  return { name, input: firstValues(values) };
}

function firstValues(values) {
  const entries = Object.entries(values).flatMap(([name, [first]]) =>
    first === '' || first === undefined ? [] : [[name, nestedFirst(first)]],
  );
  return Object.fromEntries(entries);
}

/** Inside an object each value is a list of right values again. */
function nestedFirst(value) {
  if (Array.isArray(value)) return value.map(nestedFirst);
  const isChoices = typeof value === 'object' && value !== null && Object.values(value).every(Array.isArray);
  return isChoices ? firstValues(value) : value;
}

export const jsonLines = (text = '') =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
