// Table from results JSON. Alone: node report.mjs results.json [more.json...]
import fs from 'node:fs';

const med = (a) => {
  const v = a.filter((x) => x != null && Number.isFinite(x)).sort((x, y) => x - y);
  if (!v.length) return null;
  const m = v.length >> 1;
  return v.length % 2 ? v[m] : (v[m - 1] + v[m]) / 2;
};
const f = (x, d = 0) => (x == null ? '-' : Number(x).toFixed(d));

export function summary(results) {
  const peers = [...new Set(results.runs.map((r) => r.peer))];
  const s = {};
  for (const p of peers) {
    // Runs on a quiet machine when there are any, else the quietest ones.
    const all = (id) => results.runs.filter((r) => r.peer === p && r.scenario === id);
    const R = (id) => {
      const a = all(id),
        q = a.filter((r) => (r.otherCores ?? 0) <= 0.3);
      if (q.length) return q;
      const least = Math.min(...a.map((r) => r.otherCores));
      return a.filter((r) => r.otherCores <= least + 0.2);
    };
    const m = (id, k) => med(R(id).map((r) => r[k]));
    const ok = (id) => {
      const a = all(id);
      return a.length ? `${a.filter((r) => r.ok).length}/${a.length}` : '-';
    };
    const gap = (id, i) => med(R(id).map((r) => r.gaps?.[i]));
    const noisy = [...new Set(results.runs.filter((r) => r.peer === p).map((r) => r.scenario))].filter((id) =>
      R(id).every((r) => (r.otherCores ?? 0) > 0.3),
    );
    s[p] = {
      noisy,
      version: results.versions?.[p],
      ok: Object.fromEntries(
        [...new Set(results.runs.filter((r) => r.peer === p).map((r) => r.scenario))].map((id) => [id, ok(id)]),
      ),
      versionMs: m('version', 'wallMs'),
      hiCold: m('hi-cold', 'wallMs'),
      hi: m('hi', 'wallMs'),
      first: m('hi', 'firstReqMs'),
      exit: m('hi', 'exitAfterLastMs'),
      hiRss: m('hi', 'rssMB'),
      hiCpu: m('hi', 'cpuS'),
      hiSide: m('hi', 'nSide'),
      firstBytes: m('s1', 'firstReqBytes'),
      nTools: m('s1', 'nTools'),
      s1med: m('s1', 'gapMedian'),
      s1p95: m('s1', 'gapP95'),
      s1wall: m('s1', 'wallMs'),
      s1rss: m('s1', 'rssMB'),
      s1anon: m('s1', 'anonMB'),
      s1bytes: m('s1', 'bytes'),
      s1cpu: m('s1', 'cpuS'),
      s2r: gap('s2read', 0),
      s2b: gap('s2bash', 0),
      s3r: m('s3', 'readGap'),
      s3e: m('s3', 'editGap'),
      s3ok: med(R('s3').map((r) => r.verify?.ok)),
      s4a: gap('s4', 0),
      s4b: gap('s4', 1),
      s4c: gap('s4', 2),
      s5ms: gap('s5', 0),
      s5rss: m('s5', 'rssMB'),
      s5sent: med(R('s5').map((r) => r.result1?.[0]?.[0]?.len)),
      s6: m('s6', 'toolStartAfterBlockMs'),
      s6gap: gap('s6', 0),
      s7first: m('s7', 'gapFirst'),
      s7last: m('s7', 'gapLast'),
      s7wall: m('s7', 'wallMs'),
      s7rss10: m('s7', 'rssAt10'),
      s7rssEnd: m('s7', 'rssAtEnd'),
      s7bytes: m('s7', 'bytes'),
      s7cpu: m('s7', 'cpuS'),
    };
  }
  return s;
}
export function table(results) {
  const s = summary(results),
    P = Object.keys(s);
  const rows = [
    ['version', (x) => x.version ?? '-'],
    ['--version ms', (x) => f(x.versionMs)],
    ['hi, first run ms', (x) => f(x.hiCold)],
    ['hi, warm ms', (x) => f(x.hi)],
    ['start->1st request ms', (x) => f(x.first)],
    ['last answer->exit ms', (x) => f(x.exit)],
    ['hi CPU s', (x) => f(x.hiCpu, 1)],
    ['hi peak RSS MB', (x) => f(x.hiRss)],
    ['hi side requests', (x) => f(x.hiSide)],
    ['1st request kB', (x) => f(x.firstBytes / 1000)],
    ['tools offered', (x) => f(x.nTools)],
    ['S1 turn ms median', (x) => f(x.s1med, 1)],
    ['S1 turn ms p95', (x) => f(x.s1p95, 1)],
    ['S1 wall s', (x) => f(x.s1wall / 1000, 2)],
    ['S1 CPU s', (x) => f(x.s1cpu, 1)],
    ['S1 peak RSS MB', (x) => f(x.s1rss)],
    ['S1 sent MB', (x) => f(x.s1bytes / 1e6, 1)],
    ['S2 10 reads ms', (x) => f(x.s2r, 1)],
    ['S2 10 sleeps ms', (x) => f(x.s2b)],
    ['S3 read ms', (x) => f(x.s3r, 1)],
    ['S3 edit ms', (x) => f(x.s3e, 1)],
    ['S3 files right /30', (x) => f(x.s3ok)],
    ['S4 grep rare ms', (x) => f(x.s4a)],
    ['S4 grep common ms', (x) => f(x.s4b)],
    ['S4 glob ms', (x) => f(x.s4c)],
    ['S5 50 MB ms', (x) => f(x.s5ms)],
    ['S5 peak RSS MB', (x) => f(x.s5rss)],
    ['S5 sent to model B', (x) => f(x.s5sent)],
    ['S6 tool start after block ms', (x) => f(x.s6)],
    ['S6 end->next request ms', (x) => f(x.s6gap)],
    ['S7 turn ms first 50', (x) => f(x.s7first, 1)],
    ['S7 turn ms last 50', (x) => f(x.s7last, 1)],
    ['S7 wall s', (x) => f(x.s7wall / 1000, 1)],
    ['S7 CPU s', (x) => f(x.s7cpu, 1)],
    ['S7 RSS turn 10 -> 300 MB', (x) => `${f(x.s7rss10)} -> ${f(x.s7rssEnd)}`],
    ['S7 sent MB', (x) => f(x.s7bytes / 1e6, 1)],
    ['noisy (other work > 0.3 core)', (x) => x.noisy.join(' ') || 'none'],
    [
      'not ok',
      (x) =>
        Object.entries(x.ok)
          .filter(([, v]) => v.split('/')[0] !== v.split('/')[1])
          .map(([k, v]) => `${k} ${v}`)
          .join(' ') || 'none',
    ],
  ];
  const lines = [`| | ${P.join(' | ')} |`, `|---|${P.map(() => '---').join('|')}|`];
  for (const [h, g] of rows) lines.push(`| ${h} | ${P.map((p) => g(s[p]).replace('NaN', '-')).join(' | ')} |`);
  return lines.join('\n');
}
if (process.argv[1] && import.meta.url.endsWith(process.argv[1].split('/').pop())) {
  const all = { runs: [], versions: {} };
  for (const file of process.argv.slice(2)) {
    const j = JSON.parse(fs.readFileSync(file, 'utf8'));
    all.runs.push(...j.runs);
    Object.assign(all.versions, j.versions);
  }
  console.log(table(all));
}
