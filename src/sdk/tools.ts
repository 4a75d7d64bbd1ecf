// The entry helve/tools.
export { changeEffects, readEffects } from '../tools/file-effect.js';
export { builtInTools } from '../tools/index.js';
