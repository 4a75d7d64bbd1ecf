// Loopback fake model server. Forked by bench.mjs (IPC), or alone: node server.mjs <peer> <scenario> <cwd> [port] [dumpDir]

import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import zlib from 'node:zlib';
import { adapters } from './adapters.mjs';
import { flavours, route } from './flavours.mjs';
import { scenarios } from './scenarios.mjs';

let cfg = null; // { peer, scenario, cwd, dumpDir }
let log = [];
const now = () => Number(process.hrtime.bigint() / 1000n) / 1000; // ms, CLOCK_MONOTONIC, comparable between processes

// Side requests (titles, loop checks, ...): a short text, or the least JSON that fits the schema asked for.
function sideAnswer(b) {
  const schema =
    b.generationConfig?.responseJsonSchema ||
    b.generationConfig?.responseSchema ||
    b.response_format?.json_schema?.schema ||
    b.text?.format?.schema ||
    b.output_config?.format?.schema;
  if (!schema) return { text: 'ok' };
  const make = (x) => {
    const t = String(Array.isArray(x?.type) ? x.type[0] : x?.type || 'string').toLowerCase();
    if (x?.enum) return x.enum[0];
    if (t === 'object')
      return Object.fromEntries(
        Object.entries(x.properties || {})
          .filter(([k]) => !x.required || x.required.includes(k))
          .map(([k, v]) => [k, make(v)]),
      );
    return t === 'array' ? [] : t === 'number' || t === 'integer' ? 0 : t === 'boolean' ? false : 'ok';
  };
  return { text: JSON.stringify(make(schema)) };
}

const server = http.createServer((req, res) => {
  const tHead = now();
  const chunks = [];
  req.on('data', (c) => chunks.push(c));
  req.on('end', async () => {
    const tBody = now();
    const raw = Buffer.concat(chunks);
    const e = {
      n: log.length,
      method: req.method,
      url: req.url.split('?')[0],
      tHead,
      tBody,
      bytes: raw.length,
      kind: 'unknown',
    };
    log.push(e);
    try {
      const r = route(req.method, req.url);
      e.kind = r.kind;
      if (r.kind === 'json') {
        e.tEnd = now();
        res.writeHead(200, { 'content-type': 'application/json' });
        return res.end(JSON.stringify(r.body));
      }
      if (r.kind === 'unknown') {
        e.tEnd = now();
        res.writeHead(req.method === 'HEAD' ? 200 : 404, { 'content-type': 'application/json' });
        return res.end(req.method === 'HEAD' ? '' : '{"error":{"message":"not found","type":"not_found_error"}}');
      }
      let body = raw;
      const enc = req.headers['content-encoding'];
      if (enc === 'gzip') body = zlib.gunzipSync(raw);
      else if (enc === 'br') body = zlib.brotliDecompressSync(raw);
      else if (enc === 'zstd' && zlib.zstdDecompressSync) body = zlib.zstdDecompressSync(raw);
      if (enc) {
        e.encoding = enc;
        e.rawBytes = body.length;
      }
      const b = JSON.parse(body.toString('utf8'));
      const f = flavours[r.flavour];
      const p = f.parse(b);
      const ad = adapters[cfg.peer],
        sc = scenarios[cfg.scenario];
      // A request without the peer's main tool is a side request (title, summary, topic, loop check...).
      const main = p.tools.includes(ad.mainTool) && !ad.isSide?.(b, p);
      e.main = main;
      e.turn = p.turn;
      e.nTools = p.tools.length;
      e.stream = r.stream ?? p.stream;
      if (main && p.turn > 0) {
        const want = sc.expect(p.turn - 1);
        e.results = p.results.map((x, k) => {
          const m = /_c(\d+)/.exec(x.id || '');
          const w = want[m ? +m[1] : k];
          return {
            len: Buffer.byteLength(x.text),
            ok: w === undefined ? null : x.text.includes(w),
            error: x.error || undefined,
            head: x.text.slice(0, 160),
            tail: x.text.length > 320 ? x.text.slice(-160) : undefined,
          };
        });
        e.ok = want.length === p.results.length && e.results.every((x) => x.ok);
      }
      if (cfg.dumpDir && (main ? p.turn <= 1 : true) && log.length < 40) {
        fs.mkdirSync(cfg.dumpDir, { recursive: true });
        fs.writeFileSync(
          path.join(cfg.dumpDir, `${cfg.peer}-${cfg.scenario}-${e.n}-${main ? 'main' : 'side'}.json`),
          JSON.stringify({ url: req.url, headers: req.headers, body: b }, null, 1),
        );
      }
      const answer = main ? sc.step(p.turn, ad.tools, cfg) : (ad.sideAnswer?.(b) ?? sideAnswer(b));
      e.last = main && !(answer.calls || []).length;
      if (answer.calls) e.tools = answer.calls.map((c) => c.name);
      const hooks = {
        toolDone() {
          e.tToolDone = now();
          e.tToolDoneWall = Date.now();
        },
        end() {
          e.tEnd = now();
          e.tEndWall = Date.now();
        },
      };
      await f.send(res, b, p.turn, answer, hooks, r.stream);
    } catch (err) {
      e.error = String(err?.stack || err);
      e.tEnd = now();
      try {
        res.writeHead(500);
        res.end('{"error":{"message":"fake server error"}}');
      } catch {}
    }
  });
});
server.keepAliveTimeout = 120e3;
server.requestTimeout = 0;

process.on('message', (m) => {
  if (m.op === 'begin') {
    cfg = m.cfg;
    log = [];
    process.send({ op: 'begun' });
  } else if (m.op === 'end') {
    process.send({ op: 'log', log });
  } else if (m.op === 'stop') process.exit(0);
});
process.on('disconnect', () => process.exit(0));

if (process.send) {
  server.listen(Number(process.argv[2] || 0), '127.0.0.1', () =>
    process.send({ op: 'listening', port: server.address().port }),
  );
} else {
  const [peer, scenario, cwd, port, dumpDir] = process.argv.slice(2);
  cfg = { peer, scenario, cwd, dumpDir };
  server.listen(Number(port || 18080), '127.0.0.1', () =>
    console.log(`fake model on 127.0.0.1:${server.address().port} peer=${peer} scenario=${scenario}`),
  );
}
