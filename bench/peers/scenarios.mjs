// Scenarios. step(turn, T, ctx) gives the model's answer for that turn; T is the peer's tool map
// (read/edit/bash/grep/glob -> {name,args}), ctx.cwd the working copy.
// An answer: { text?, calls?: [{name,args,custom?}], tailMs? }   No calls = last answer.
// expect(turn) gives, per call, a string that must be found in the tool result ('' = anything).
import fs from 'node:fs';
import path from 'node:path';
import { markOf, newOf, oldOf, relOf } from './repo.mjs';

const abs = (ctx, i) => path.join(ctx.cwd, relOf(i));
const done = { text: 'All done.' };
const reads = (n, first) => ({
  turns: n,
  step: (t, T, ctx) => (t < n ? { text: `Reading ${t}.`, calls: [T.read(abs(ctx, first + t), ctx)] } : done),
  expect: (t) => [markOf(first + t)],
});

export const BASH_BIG = `yes 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ | head -c 52428800`;

export const scenarios = {
  hi: { title: 'S0 one turn', turns: 0, step: () => ({ text: 'hi' }), expect: () => [], timeoutMs: 60e3 },
  s1: { title: 'S1 50 sequential reads', ...reads(50, 0), timeoutMs: 120e3 },
  s2read: {
    title: 'S2 10 parallel reads',
    turns: 1,
    timeoutMs: 60e3,
    step: (t, T, ctx) =>
      t === 0
        ? { text: 'Ten reads.', calls: Array.from({ length: 10 }, (_, k) => T.read(abs(ctx, 100 + k), ctx)) }
        : done,
    expect: () => Array.from({ length: 10 }, (_, k) => markOf(100 + k)),
  },
  s2bash: {
    title: 'S2 10 parallel bash sleep 0.2',
    turns: 1,
    timeoutMs: 60e3,
    step: (t, T, ctx) =>
      t === 0
        ? {
            text: 'Ten sleeps.',
            calls: Array.from({ length: 10 }, (_, k) => T.bash(`sleep 0.2; echo slept-${k}`, ctx)),
          }
        : done,
    expect: () => Array.from({ length: 10 }, (_, k) => `slept-${k}`),
  },
  s3: {
    title: 'S3 30 x (read, edit)',
    turns: 60,
    timeoutMs: 180e3,
    step: (t, T, ctx) => {
      if (t >= 60) return done;
      const i = 200 + (t >> 1);
      return t % 2 === 0
        ? { text: 'Read.', calls: [T.read(abs(ctx, i), ctx)] }
        : { text: 'Edit.', calls: [T.edit(abs(ctx, i), oldOf(i), newOf(i), ctx)] };
    },
    expect: (t) => [t % 2 === 0 ? markOf(200 + (t >> 1)) : ''],
    verify: (cwd) => {
      let ok = 0;
      for (let k = 0; k < 30; k++)
        if (fs.readFileSync(path.join(cwd, relOf(200 + k)), 'utf8').includes(newOf(200 + k))) ok++;
      return { ok, of: 30 };
    },
  },
  s4: {
    title: 'S4 grep rare, grep common, glob',
    turns: 3,
    timeoutMs: 120e3,
    step: (t, T, ctx) =>
      t === 0
        ? { text: 'g', calls: [T.grep(markOf(1777), ctx)] }
        : t === 1
          ? { text: 'g', calls: [T.grep('export function compute', ctx)] }
          : t === 2
            ? { text: 'g', calls: [T.glob('**/file1*.ts', ctx)] }
            : done,
    expect: (t) => [t === 0 ? 'file1777.ts' : t === 1 ? 'file' : 'file1'],
  },
  s5: {
    title: 'S5 bash prints 50 MB',
    turns: 1,
    timeoutMs: 180e3,
    step: (t, T, ctx) => (t === 0 ? { text: 'big', calls: [T.bash(BASH_BIG, ctx)] } : done),
    expect: () => ['0123456789abcdef'],
  },
  s6: {
    title: 'S6 tool block done at t=0, text for 3 s more',
    turns: 1,
    timeoutMs: 60e3,
    step: (t, T, ctx) =>
      t === 0
        ? { calls: [T.bash(`date +%s%N > ${path.join(ctx.cwd, 'started.txt')}; echo stamped`, ctx)], tailMs: 3000 }
        : done,
    expect: () => ['stamped'],
    stamp: (cwd) => {
      try {
        return Number(BigInt(fs.readFileSync(path.join(cwd, 'started.txt'), 'utf8').trim()) / 1000n) / 1000;
      } catch {
        return null;
      }
    },
  },
  s7: { title: 'S7 300 sequential reads', ...reads(300, 300), timeoutMs: 400e3 },
};
