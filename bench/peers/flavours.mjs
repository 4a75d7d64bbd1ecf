// Wire formats. Each flavour: parse(body) -> { turn, tools, results, nMsgs } and send(res, req, answer, hooks).
// Tool-call ids carry the turn ("call_t12_c0"), so the turn is read back from the request alone:
// the server keeps no state between requests, and a client that merges or drops old messages does not confuse it.

const idFor = (turn, c) => `toolu_t${turn}_c${c}`;
const idRe = /_t(\d+)_c(\d+)/;
const turnFromIds = (ids) => {
  let m = -1;
  for (const id of ids) {
    const x = idRe.exec(id || '');
    if (x) m = Math.max(m, +x[1]);
  }
  return m + 1;
};
const txt = (c) =>
  c == null
    ? ''
    : typeof c === 'string'
      ? c
      : Array.isArray(c)
        ? c.map((p) => (typeof p === 'string' ? p : (p.text ?? (p.type ? `[${p.type}]` : '')))).join('')
        : (c.text ?? JSON.stringify(c));
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const TAIL_STEP = 100;

// hooks: { toolDone() when the tool block is complete on the wire, end() just before the last bytes }
async function tail(ms, write) {
  for (let t = 0; t < ms; t += TAIL_STEP) {
    await sleep(TAIL_STEP);
    write(`tail ${t} `);
  }
}

const anthropic = {
  parse(b) {
    const ids = [],
      results = [];
    let nMsgs = 0,
      lastAsst = -1;
    (b.messages || []).forEach((m, k) => {
      if (m.role === 'assistant') {
        nMsgs++;
        lastAsst = k;
      }
    });
    (b.messages || []).forEach((m, k) => {
      if (!Array.isArray(m.content)) return;
      for (const c of m.content) {
        if (c.type === 'tool_use') ids.push(c.id);
        if (c.type === 'tool_result' && k > lastAsst)
          results.push({ id: c.tool_use_id, text: txt(c.content), error: !!c.is_error });
      }
    });
    return { turn: turnFromIds(ids), nMsgs, results, tools: (b.tools || []).map((t) => t.name), stream: !!b.stream };
  },
  async send(res, b, turn, a, hooks) {
    const usage = { input_tokens: 1000, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 };
    const calls = a.calls || [];
    const blocks = [];
    if (a.text) blocks.push({ type: 'text', text: a.text });
    blocks.push(...calls.map((c, k) => ({ type: 'tool_use', id: idFor(turn, k), name: c.name, input: c.args })));
    const stop = calls.length ? 'tool_use' : 'end_turn';
    if (!b.stream) {
      res.writeHead(200, { 'content-type': 'application/json' });
      hooks.end();
      return res.end(
        JSON.stringify({
          id: 'msg_x',
          type: 'message',
          role: 'assistant',
          model: b.model,
          content: blocks,
          stop_reason: stop,
          stop_sequence: null,
          usage,
        }),
      );
    }
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
    let buf = '';
    const ev = (d) => {
      buf += `event: ${d.type}\ndata: ${JSON.stringify(d)}\n\n`;
    };
    const flush = () => {
      res.write(buf);
      buf = '';
    };
    ev({
      type: 'message_start',
      message: {
        id: `msg_${turn}_${Date.now()}`,
        type: 'message',
        role: 'assistant',
        model: b.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    });
    let i = 0;
    for (const bl of blocks) {
      if (bl.type === 'text') {
        ev({ type: 'content_block_start', index: i, content_block: { type: 'text', text: '' } });
        ev({ type: 'content_block_delta', index: i, delta: { type: 'text_delta', text: bl.text } });
      } else {
        ev({
          type: 'content_block_start',
          index: i,
          content_block: { type: 'tool_use', id: bl.id, name: bl.name, input: {} },
        });
        ev({
          type: 'content_block_delta',
          index: i,
          delta: { type: 'input_json_delta', partial_json: JSON.stringify(bl.input) },
        });
      }
      ev({ type: 'content_block_stop', index: i++ });
    }
    if (a.tailMs) {
      flush();
      hooks.toolDone();
      ev({ type: 'content_block_start', index: i, content_block: { type: 'text', text: '' } });
      flush();
      await tail(a.tailMs, (t) => {
        ev({ type: 'content_block_delta', index: i, delta: { type: 'text_delta', text: t } });
        flush();
      });
      ev({ type: 'content_block_stop', index: i });
    }
    ev({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 20 } });
    ev({ type: 'message_stop' });
    hooks.end();
    res.end(buf);
  },
};

const chat = {
  parse(b) {
    const ids = [],
      results = [];
    let nMsgs = 0,
      last = -1;
    (b.messages || []).forEach((m, k) => {
      if (m.role === 'assistant') {
        nMsgs++;
        last = k;
        for (const c of m.tool_calls || []) ids.push(c.id);
      }
    });
    (b.messages || []).forEach((m, k) => {
      if (m.role === 'tool' && k > last) results.push({ id: m.tool_call_id, text: txt(m.content) });
    });
    return {
      turn: turnFromIds(ids),
      nMsgs,
      results,
      tools: (b.tools || []).map((t) => t.function?.name),
      stream: !!b.stream,
    };
  },
  async send(res, b, turn, a, hooks) {
    const calls = (a.calls || []).map((c, k) => ({
      index: k,
      id: idFor(turn, k),
      type: 'function',
      function: { name: c.name, arguments: JSON.stringify(c.args) },
    }));
    const usage = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 };
    const fin = calls.length ? 'tool_calls' : 'stop';
    const base = { id: `chatcmpl-${turn}`, created: 1700000000, model: b.model };
    if (!b.stream) {
      res.writeHead(200, { 'content-type': 'application/json' });
      hooks.end();
      return res.end(
        JSON.stringify({
          ...base,
          object: 'chat.completion',
          choices: [
            {
              index: 0,
              message: {
                role: 'assistant',
                content: a.text || null,
                ...(calls.length ? { tool_calls: calls.map(({ index, ...c }) => c) } : {}),
              },
              finish_reason: fin,
            },
          ],
          usage,
        }),
      );
    }
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    let buf = '';
    const ev = (delta, finish_reason = null) => {
      buf += `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    };
    const flush = () => {
      res.write(buf);
      buf = '';
    };
    ev({ role: 'assistant', content: a.text || '' });
    if (calls.length) ev({ tool_calls: calls });
    if (a.tailMs) {
      flush();
      hooks.toolDone();
      await tail(a.tailMs, (t) => {
        ev({ content: t });
        flush();
      });
    }
    ev({}, fin);
    buf += `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [], usage })}\n\ndata: [DONE]\n\n`;
    hooks.end();
    res.end(buf);
  },
};

const responses = {
  parse(b) {
    const ids = [],
      results = [];
    let nMsgs = 0,
      _last = -1;
    const input = Array.isArray(b.input) ? b.input : [];
    input.forEach((m, k) => {
      if (/^(function_call|custom_tool_call|local_shell_call)$/.test(m.type)) {
        ids.push(m.call_id);
        _last = k;
      }
      if (m.role === 'assistant') nMsgs++;
    });
    const maxTurn = turnFromIds(ids) - 1;
    input.forEach((m) => {
      if (!/_output$/.test(m.type || '')) return;
      const x = idRe.exec(m.call_id || '');
      if (!x || +x[1] !== maxTurn) return;
      results.push({ id: m.call_id, text: txt(m.output) });
    });
    return {
      turn: maxTurn + 1,
      nMsgs,
      results,
      tools: (b.tools || []).map((t) => t.name || t.type),
      stream: b.stream !== false,
    };
  },
  async send(res, b, turn, a, hooks) {
    const rid = `resp_${turn}`;
    const items = [];
    if (a.text)
      items.push({
        type: 'message',
        id: `msg_${turn}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: a.text, annotations: [] }],
      });
    (a.calls || []).forEach(
      (c, k) =>
        void items.push(
          c.custom
            ? {
                type: 'custom_tool_call',
                id: `ctc_${turn}_${k}`,
                call_id: idFor(turn, k),
                name: c.name,
                input: c.args,
                status: 'completed',
              }
            : {
                type: 'function_call',
                id: `fc_${turn}_${k}`,
                call_id: idFor(turn, k),
                name: c.name,
                ...(c.namespace ? { namespace: c.namespace } : {}),
                arguments: JSON.stringify(c.args),
                status: 'completed',
              },
        ),
    );
    const usage = {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 1020,
    };
    const resp = (status, output) => ({
      id: rid,
      object: 'response',
      created_at: 1700000000,
      status,
      model: b.model,
      output,
      usage: status === 'completed' ? usage : null,
    });
    if (!b.stream) {
      res.writeHead(200, { 'content-type': 'application/json' });
      hooks.end();
      return res.end(JSON.stringify(resp('completed', items)));
    }
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    let buf = '',
      seq = 0;
    const ev = (d) => {
      buf += `event: ${d.type}\ndata: ${JSON.stringify({ ...d, sequence_number: seq++ })}\n\n`;
    };
    const flush = () => {
      res.write(buf);
      buf = '';
    };
    ev({ type: 'response.created', response: resp('in_progress', []) });
    let oi = 0;
    for (const it of items) {
      ev({
        type: 'response.output_item.added',
        output_index: oi,
        item: {
          ...it,
          status: 'in_progress',
          ...(it.type === 'message'
            ? { content: [] }
            : it.type === 'function_call'
              ? { arguments: '' }
              : { input: '' }),
        },
      });
      if (it.type === 'message')
        ev({ type: 'response.output_text.delta', item_id: it.id, output_index: oi, content_index: 0, delta: a.text });
      else if (it.type === 'function_call') {
        ev({ type: 'response.function_call_arguments.delta', item_id: it.id, output_index: oi, delta: it.arguments });
        ev({
          type: 'response.function_call_arguments.done',
          item_id: it.id,
          output_index: oi,
          arguments: it.arguments,
        });
      }
      ev({ type: 'response.output_item.done', output_index: oi++, item: it });
    }
    if (a.tailMs) {
      flush();
      hooks.toolDone();
      const m = { type: 'message', id: `msg_tail_${turn}`, role: 'assistant', status: 'in_progress', content: [] };
      let all = '';
      ev({ type: 'response.output_item.added', output_index: oi, item: m });
      flush();
      await tail(a.tailMs, (t) => {
        all += t;
        ev({ type: 'response.output_text.delta', item_id: m.id, output_index: oi, content_index: 0, delta: t });
        flush();
      });
      ev({
        type: 'response.output_item.done',
        output_index: oi,
        item: { ...m, status: 'completed', content: [{ type: 'output_text', text: all, annotations: [] }] },
      });
    }
    ev({ type: 'response.completed', response: resp('completed', items) });
    hooks.end();
    res.end(buf);
  },
};

const gemini = {
  parse(b) {
    const results = [];
    let n = 0,
      last = -1;
    const ids = [];
    const cs = b.contents || [];
    cs.forEach((c, k) => {
      if (c.role === 'model') {
        last = k;
        let has = false;
        for (const p of c.parts || [])
          if (p.functionCall) {
            has = true;
            ids.push(p.functionCall.id);
          }
        if (has) n++;
      }
    });
    cs.forEach((c, k) => {
      if (k > last)
        for (const p of c.parts || [])
          if (p.functionResponse)
            results.push({
              id: p.functionResponse.id || '',
              text: txt(p.functionResponse.response?.output ?? p.functionResponse.response),
            });
    });
    const decl = (b.tools || []).flatMap((t) => (t.functionDeclarations || []).map((f) => f.name));
    return { turn: Math.max(n, turnFromIds(ids)), nMsgs: n, results, tools: decl, stream: true };
  },
  async send(res, _b, turn, a, hooks, stream) {
    const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 20, totalTokenCount: 1020 };
    const parts = [];
    if (a.text) parts.push({ text: a.text });
    (a.calls || []).forEach(
      (c, k) =>
        void parts.push({
          functionCall: { id: idFor(turn, k), name: c.name, args: c.args },
          ...(k === 0 ? { thoughtSignature: 'c2ln' } : {}),
        }),
    );
    const chunk = (parts, fin) => ({
      candidates: [{ content: { parts, role: 'model' }, index: 0, ...(fin ? { finishReason: 'STOP' } : {}) }],
      usageMetadata,
      modelVersion: 'fake',
      responseId: `r${turn}`,
    });
    if (!stream) {
      res.writeHead(200, { 'content-type': 'application/json' });
      hooks.end();
      return res.end(JSON.stringify(chunk(parts, true)));
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const w = (d) => `data: ${JSON.stringify(d)}\r\n\r\n`;
    if (a.tailMs) {
      res.write(w(chunk(parts, false)));
      hooks.toolDone();
      await tail(a.tailMs, (t) => res.write(w(chunk([{ text: t }], false))));
      hooks.end();
      return res.end(w(chunk([{ text: '' }], true)));
    }
    hooks.end();
    res.end(w(chunk(parts, true)));
  },
};

export const flavours = { anthropic, chat, responses, gemini };

export function route(method, url) {
  const p = url.split('?')[0];
  if (method === 'POST') {
    if (/\/messages\/count_tokens$/.test(p)) return { kind: 'json', body: { input_tokens: 1000 } };
    if (/\/messages$/.test(p)) return { kind: 'model', flavour: 'anthropic' };
    if (/\/chat\/completions$/.test(p)) return { kind: 'model', flavour: 'chat' };
    if (/\/responses$/.test(p)) return { kind: 'model', flavour: 'responses' };
    if (/:streamGenerateContent$/.test(p)) return { kind: 'model', flavour: 'gemini', stream: true };
    if (/:generateContent$/.test(p)) return { kind: 'model', flavour: 'gemini', stream: false };
    if (/:countTokens$/.test(p)) return { kind: 'json', body: { totalTokens: 1000 } };
  }
  if (/\/models$/.test(p))
    return {
      kind: 'json',
      body: {
        object: 'list',
        data: [{ id: 'fake-model', object: 'model', created: 1700000000, owned_by: 'bench' }],
        models: [],
      },
    };
  return { kind: 'unknown' };
}
