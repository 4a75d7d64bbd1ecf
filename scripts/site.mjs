// npm run site: builds the documents into a static site and serves it on this machine.
//   --out FOLDER     where to build it, site/dist by default
//   --build          only build
//   --port NUMBER    4173 by default; 0 takes any free one
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSite } from '../site/build.mjs';
import { serveSite } from '../site/serve.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'site/dist' },
    build: { type: 'boolean', default: false },
    port: { type: 'string', default: '4173' },
  },
});
const out = resolve(values.out);
const { pages, version } = await buildSite({ root: resolve(import.meta.dirname, '..'), out });
console.log(`Built ${pages} pages of version ${version} in ${out}.`);
if (!values.build) {
  const { url } = await serveSite(out, Number(values.port));
  console.log(`Read them at ${url}${version}/. Ctrl-C ends the server.`);
}
