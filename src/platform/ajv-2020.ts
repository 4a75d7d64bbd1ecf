// Loaded lazily. The bundler exposes the named exports of a CommonJS module only if that module itself is not the
// target of the dynamic import.
export { Ajv2020 } from 'ajv/dist/2020.js';
