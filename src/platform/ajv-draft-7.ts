// Like ajv-2020.ts, for schemas of older drafts.
export { Ajv } from 'ajv';
