// Loaded when it is needed. A bundler gives a module of the older kind its names only where it is not the one loaded late.
export { Ajv2020 } from 'ajv/dist/2020.js';
