// A scene of moving bodies in a canvas (WebGL 2). A body is a mesh in its own coordinates, once, and a table of poses over time;
// between these the page interpolates. Marks are points and lines of a width in pixels, which also shine through bodies.
"use strict";
(() => {
const bytes = s => Uint8Array.from(atob(s), c => c.charCodeAt(0));
const floats = s => new Float32Array(bytes(s).buffer);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = a => { const l = Math.hypot(...a) || 1; return a.map(x => x / l); };
const clamp = (x, lo, hi) => Math.min(hi, Math.max(lo, x));
const INK = [.09, .13, .17], SLOPE = .33;  // of the view's height, half of it over the distance

const BODY = [`#version 300 es
in vec3 p0, p1, n0, n1, at; in vec4 q, colour; uniform mat4 view; uniform vec3 eye, lo, range; uniform float between;
out vec3 normal, away; out vec4 hue;
vec3 turn(vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }
void main() { vec3 w = at + turn(lo + range * mix(p0, p1, between)); normal = turn(mix(n0, n1, between)); away = eye - w; hue = colour;
  gl_Position = view * vec4(w, 1.0); }`, `#version 300 es
precision highp float; in vec3 normal, away; in vec4 hue; out vec4 shown;
void main() { vec3 a = normalize(away), m = normalize(normal); if (dot(m, a) < 0.0) m = -m;
  vec3 light = normalize(vec3(0.35, -0.45, 0.9)); float d = max(dot(m, light), 0.0), s = max(dot(normalize(light + a), m), 0.0);
  s *= s; s *= s; s *= s; s *= s; s *= s;
  shown = vec4(hue.rgb * (0.42 + 0.13 * m.z + 0.55 * d) + 0.14 * s, hue.a); }`];
const MARK = [`#version 300 es
in vec2 corner; in vec3 a0, b0, a1, b1, tint; in vec4 style; uniform mat4 view; uniform vec2 size; uniform float time, pixels;
out vec2 p, ba; out float width, alpha; out vec3 hue; flat out int dotted;
void main() { float way = clamp((time - style.y) / (style.z - style.y), 0.0, 1.0); vec3 a = mix(a0, a1, way), b = mix(b0, b1, way);
  vec4 A = view * vec4(a, 1.0), B = view * vec4(b, 1.0); vec2 sa = A.xy / A.w * size, sb = B.xy / B.w * size;
  bool seen = time >= style.y && time <= style.z && A.w > 0.0 && B.w > 0.0;
  float age = style.w > 0.0 ? (time - style.y) / (style.z - style.y) : 0.0;
  width = style.x * pixels * (style.w > 0.0 ? 1.0 - 0.5 * age : 1.0); alpha = 1.0 - age; hue = tint; dotted = a0 == b0 && a1 == b1 ? 1 : 0;
  ba = sb - sa; vec2 along = length(ba) > 0.01 ? normalize(ba) : vec2(1.0, 0.0), across = vec2(-along.y, along.x);
  vec2 s = mix(sa, sb, corner.x) + (width + 1.5) * ((2.0 * corner.x - 1.0) * along + corner.y * across);
  p = s - sa; vec4 end = corner.x > 0.5 ? B : A;
  gl_Position = seen ? vec4(s / size * end.w, end.z - 0.002 * end.w, end.w) : vec4(2.0, 2.0, 2.0, 1.0); }`, `#version 300 es
precision highp float; in vec2 p, ba; in float width, alpha; in vec3 hue; flat in int dotted; uniform float strength, pixels; out vec4 shown;
void main() { float h = clamp(dot(p, ba) / max(dot(ba, ba), 1e-6), 0.0, 1.0), d = length(p - h * ba);
  float cover = clamp(width + 0.5 - d, 0.0, 1.0), rim = dotted == 1 ? clamp(d - width + 2.0 * pixels + 0.5, 0.0, 1.0) : 0.0;
  shown = vec4(mix(hue, vec3(0.09, 0.13, 0.17), rim), cover * alpha * strength); if (shown.a < 0.01) discard; }`];

function program(gl, texts, attributes) {
  const made = gl.createProgram();
  texts.forEach((text, k) => {
    const s = gl.createShader(k ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER); gl.shaderSource(s, text); gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw Error(gl.getShaderInfoLog(s)); gl.attachShader(made, s); });
  attributes.forEach((name, k) => gl.bindAttribLocation(made, k, name));
  gl.linkProgram(made);
  const where = {};
  for (let k = 0; k < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); k++) {
    const name = gl.getActiveUniform(made, k).name; where[name] = gl.getUniformLocation(made, name); }
  return {made, where};
}

// Without a graphics card smooth edges take three quarters of the time.
function software() {
  const gl = document.createElement("canvas").getContext("webgl2"), name = gl ? gl.getParameter(gl.RENDERER) : "";
  const known = gl && gl.getExtension("WEBGL_debug_renderer_info"), full = known ? name + gl.getParameter(known.UNMASKED_RENDERER_WEBGL) : name;
  if (gl) gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /SwiftShader|llvmpipe|Software/i.test(full);
}

function buffer(gl, data, kind = gl.ARRAY_BUFFER) {
  const b = gl.createBuffer(); gl.bindBuffer(kind, b); gl.bufferData(kind, data, gl.STATIC_DRAW); return b;
}

// Where a time is between the times of a table: the key before, the one after, and the share of the way.
function between(times, t) {
  let lo = 0, hi = times.length - 1;
  if (t <= times[0]) return [0, 0, 0];
  if (t >= times[hi]) return [hi, hi, 0];
  while (hi - lo > 1) { const k = (lo + hi) >> 1; if (times[k] <= t) lo = k; else hi = k; }
  return [lo, hi, (t - times[lo]) / (times[hi] - times[lo])];
}

function pose(track, t) {
  const [i, j, s] = between(track.times, t), a = track.poses.subarray(7 * i, 7 * i + 7), b = track.poses.subarray(7 * j, 7 * j + 7);
  const at = [0, 1, 2].map(k => a[k] + s * (b[k] - a[k])), q = unit([3, 4, 5, 6].map(k => a[k] + s * (b[k] - a[k])));
  return [at, q];
}

function grouped(parts) {
  const groups = new Map();
  for (const p of parts) groups.has(p.shape) ? groups.get(p.shape).push(p) : groups.set(p.shape, [p]);
  return groups.values();
}

// Steps 1, 2 or 5 times a power of ten.
function nice(length) { const p = 10 ** Math.floor(Math.log10(length)); return [1, 2, 5, 10].map(k => k * p).find(k => k >= length); }
const short = x => String(+x.toPrecision(6));

class Viewer {
  constructor(element) {
    this.element = element; this.find = name => element.querySelector("." + name);
    this.D = JSON.parse(this.find("data").textContent);
    this.canvas = this.find("view"); this.words = this.find("words").getContext("2d");
    this.gl = this.canvas.getContext("webgl2", {antialias: !software()});
    if (!this.gl) { this.find("tip").textContent = "This browser shows no WebGL 2."; this.find("tip").hidden = false; return; }
    [this.t, this.running, this.frames, this.wait, this.dirty] = [this.D.now, false, 0, 0, true];
    this.hidden = new Set(); [this.coarse, this.usual, this.slow] = [1, 0, 0];
    this.load(); this.look(this.D.view); this.controls(); this.pointers();
    this.visible = true;
    new IntersectionObserver(seen => { this.visible = seen[0].isIntersecting; this.dirty = true; }).observe(this.canvas);
    new ResizeObserver(() => { this.dirty = true; }).observe(this.canvas);
    if (this.D.play && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
    requestAnimationFrame(now => this.step(now));
  }

  // -- what is drawn ----------------------------------------------------------------------------------------------------------------

  load() {
    const gl = this.gl, D = this.D;
    this.body = program(gl, BODY, ["p0", "n0", "p1", "n1", "at", "q", "colour"]); this.mark = program(gl, MARK, ["corner", "a0", "b0", "style", "tint", "a1", "b1"]);
    this.shapes = D.shapes.map(s => {
      const index = bytes(s.index), wide = s.count > 65535;
      return {...s, vertices: buffer(gl, bytes(s.vertices)), kind: wide ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT,
              corners: index.length / (wide ? 4 : 2), index: buffer(gl, index, gl.ELEMENT_ARRAY_BUFFER),
              times: Float32Array.from({length: s.frames}, (_, k) => s.from + (s.to - s.from) * k / Math.max(1, s.frames - 1))}; });
    this.parts = D.parts.map(p => ({...p, times: floats(p.times), poses: floats(p.poses)}));
    this.cloud = floats(D.cloud); this.corner = buffer(gl, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]));
    this.instances = gl.createBuffer(); this.marks = floats(D.marks); this.stored = buffer(gl, this.marks); this.lines = null;
  }

  bounds() {
    const lo = [1e300, 1e300, 1e300], hi = lo.map(x => -x);
    for (let k = 0; k < this.cloud.length; k++) { lo[k % 3] = Math.min(lo[k % 3], this.cloud[k]); hi[k % 3] = Math.max(hi[k % 3], this.cloud[k]); }
    return [lo, hi];
  }

  // The eye in a direction, so far away that everything fits.
  look(direction) {
    const [x, y, z] = unit(direction); this.round = Math.atan2(y, x);
    this.up = clamp(Math.asin(z), -1.57, 1.57); this.kept = false; this.dirty = true;
  }

  fit() {
    const [lo, hi] = this.bounds(), wide = this.canvas.width / this.canvas.height;
    this.middle = lo.map((x, k) => (x + hi[k]) / 2); this.size = Math.hypot(...hi.map((x, k) => x - lo[k])) || 1; this.far = this.size;
    const {right, top, back} = this.camera();
    for (let turn = 0; turn < 6; turn++) {  // so far that all fits, and so that it lies in the middle
      let far = 1e-9, ends = [[1e300, -1e300], [1e300, -1e300]];
      const seen = []; for (let k = 0; k < this.cloud.length; k += 3) {
        const p = [0, 1, 2].map(i => this.cloud[k + i] - this.middle[i]); seen.push([dot(p, right), dot(p, top), dot(p, back)]); }
      for (const [x, y, z] of seen) far = Math.max(far, z + Math.max(Math.abs(x) / wide, Math.abs(y)) / (.93 * SLOPE));
      for (const p of seen) for (const k of [0, 1]) { const e = p[k] / (far - p[2]); ends[k] = [Math.min(ends[k][0], e), Math.max(ends[k][1], e)]; }
      const [dx, dy] = ends.map(e => far * (e[0] + e[1]) / 2); this.far = far;
      this.middle = this.middle.map((m, i) => m + dx * right[i] + dy * top[i]); }
  }

  camera() {
    const {round, up, far, middle} = this, back = [Math.cos(up) * Math.cos(round), Math.cos(up) * Math.sin(round), Math.sin(up)];
    const right = [-Math.sin(round), Math.cos(round), 0], top = cross(back, right), eye = middle.map((x, k) => x + far * back[k]);
    const near = Math.max(far - this.size, far / 100) / 2 || far / 100, end = far + 30 * (this.size || far), f = 1 / SLOPE;
    const rows = [right, top, back].map(r => [...r, -dot(r, eye)]), wide = this.canvas.width / this.canvas.height;
    const clip = [rows[0].map(x => x * f / wide), rows[1].map(x => x * f),
      rows[2].map((x, k) => x * (end + near) / (near - end) + (k === 3 ? 2 * end * near / (near - end) : 0)), rows[2].map(x => -x)];
    const view = new Float32Array(16); for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) view[4 * j + i] = clip[i][j];
    return {view, eye, right, top, back};
  }

  resize() {
    const box = this.canvas, [wide, high] = [box.clientWidth, box.clientHeight].map(n => Math.max(1, n * this.pixel() | 0));
    if (box.width !== wide || box.height !== high) {
      box.width = this.words.canvas.width = wide; box.height = this.words.canvas.height = high; }
    if (!this.kept && this.fitted !== wide / high + this.round + this.up) { this.fit(); this.fitted = wide / high + this.round + this.up; }
  }

  // Pixels of the canvas a pixel of the page: fewer where a picture takes too long while it plays.
  pixel() { return devicePixelRatio * (this.running ? this.coarse : 1); }

  hurry(spent) {
    this.usual = .85 * this.usual + .15 * spent;
    if (this.usual > 1 / 27 && ++this.slow > 6 && this.coarse > .45) { this.coarse *= .8; this.slow = 0; }
  }

  draw() {
    this.resize();
    const gl = this.gl, c = this.camera(), {where, made} = this.body, glass = this.find("glass").checked;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height); gl.clearColor(.985, .987, .99, 1);
    gl.depthMask(true); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT); gl.enable(gl.DEPTH_TEST); gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND); gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
    gl.useProgram(made); gl.uniformMatrix4fv(where.view, false, c.view); gl.uniform3fv(where.eye, c.eye);
    const shown = this.parts.filter(p => !this.hidden.has(p.body) && this.t >= p.from && this.t <= p.to);
    const clear = p => p.alpha < 1 || glass;
    for (const group of grouped(shown.filter(p => !clear(p)))) this.parts_of(group, false);
    const last = shown.filter(clear).map(p => [dot(pose(p, this.t)[0], c.back), p]).sort((a, b) => a[0] - b[0]);
    gl.depthMask(false); gl.enable(gl.CULL_FACE);
    for (const [, p] of last) for (const side of [gl.FRONT, gl.BACK]) { gl.cullFace(side); this.parts_of([p], glass); }
    gl.disable(gl.CULL_FACE);
    this.drawMarks(c, this.stored, this.marks.length / 19); this.axes(c); this.now = c; this.frames++;
  }

  // Bodies of one shape, all at once.
  parts_of(parts, glass) {
    const gl = this.gl, U = this.body.where, s = this.shapes[parts[0].shape], [i, j, share] = between(s.times, this.t);
    gl.bindBuffer(gl.ARRAY_BUFFER, s.vertices); gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, s.index);
    [i, j].forEach((frame, k) => { const start = 12 * s.count * frame;
      this.attribute(2 * k, 3, gl.UNSIGNED_SHORT, 12, start); this.attribute(2 * k + 1, 3, gl.BYTE, 12, start + 8); });
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(parts.flatMap(p => [...pose(p, this.t).flat(), ...p.colour, Math.min(p.alpha, glass ? .34 : 1)])),
                  gl.DYNAMIC_DRAW);
    [[4, 3, 0], [5, 4, 12], [6, 4, 28]].forEach(([k, n, start]) => this.attribute(k, n, gl.FLOAT, 44, start, 1));
    gl.uniform3fv(U.lo, s.lo); gl.uniform3fv(U.range, s.range); gl.uniform1f(U.between, share);
    gl.drawElementsInstanced(gl.TRIANGLES, s.corners, s.kind, 0, parts.length);
  }

  attribute(k, numbers, kind, stride, start, each = 0) {
    const gl = this.gl;
    gl.enableVertexAttribArray(k); gl.vertexAttribPointer(k, numbers, kind, kind !== gl.FLOAT, stride, start); gl.vertexAttribDivisor(k, each);
  }

  // First faintly whatever lies in front of them, then where they are seen.
  drawMarks(c, data, count) {
    if (!count) return;
    const gl = this.gl, U = this.mark.where;
    gl.useProgram(this.mark.made); gl.bindBuffer(gl.ARRAY_BUFFER, this.corner); this.attribute(0, 2, gl.FLOAT, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, data);
    [[1, 3, 0], [2, 3, 12], [3, 4, 24], [4, 3, 40], [5, 3, 52], [6, 3, 64]].forEach(([k, n, at]) => this.attribute(k, n, gl.FLOAT, 76, at, 1));
    gl.uniformMatrix4fv(U.view, false, c.view); gl.uniform2f(U.size, this.canvas.width / 2, this.canvas.height / 2);
    gl.uniform1f(U.time, this.t); gl.uniform1f(U.pixels, this.pixel()); gl.depthMask(false);
    for (const [test, strength] of [[gl.ALWAYS, .45], [gl.LEQUAL, 1]]) {
      gl.depthFunc(test); gl.uniform1f(U.strength, strength); gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count); }
    gl.depthFunc(gl.LEQUAL);
  }

  place(p, c) {
    const h = [0, 1, 2, 3].map(i => c.view[i] * p[0] + c.view[4 + i] * p[1] + c.view[8 + i] * p[2] + c.view[12 + i]);
    return [(h[0] / h[3] + 1) / 2 * this.canvas.width, (1 - h[1] / h[3]) / 2 * this.canvas.height, h[3]];
  }

  // Three edges of the box round everything, the nearest ones, with round numbers; those that are seen end on are left out.
  axes(c) {
    const w = this.words, pixel = this.pixel(); w.clearRect(0, 0, w.canvas.width, w.canvas.height);
    if (!this.find("axes").checked) return;
    const [lo, hi] = this.bounds(), step = nice(this.size / 6), near = lo.map((x, k) => c.back[k] >= 0 ? hi[k] : x), rows = [];
    const far = lo.map((x, k) => c.back[k] >= 0 ? x : hi[k]), sides = [[near[0], far[1], lo[2]], [far[0], near[1], lo[2]]];
    const left = sides.sort((a, b) => this.place(a, c)[0] - this.place(b, c)[0])[0], corners = [[lo[0], near[1], lo[2]], [near[0], lo[1], lo[2]], left];
    w.font = `${12 * pixel}px system-ui, sans-serif`; w.fillStyle = "#3b4754"; w.textAlign = "center"; w.textBaseline = "middle";
    const write = (text, p, dx, dy) => { const [x, y, depth] = this.place(p, c); if (depth > 0) w.fillText(text, x + dx * pixel, y + dy * pixel); };
    corners.forEach((corner, k) => {
      if (Math.abs(c.back[k]) > .97) return;
      const from = [...corner], to = [...corner], [dx, dy] = k === 2 ? [-18, 0] : [0, 14]; from[k] = lo[k]; to[k] = hi[k];
      const grey = [-1e38, 1e38, 0, .35, .42, .5]; rows.push(...from, ...to, .8, ...grey, ...from, ...to);
      for (let n = Math.ceil(lo[k] / step - 1e-9); n * step <= hi[k] + 1e-9 * step; n++) {
        const p = [...corner]; p[k] = n * step; write(short(n * step), p, dx, dy); rows.push(...p, ...p, 1.6, ...grey, ...p, ...p); }
      write("xyz"[k], to.map((x, i) => i === k ? x + .05 * this.size : x), dx / 2, dy / 2); });
    if (this.lines) this.gl.deleteBuffer(this.lines);
    this.lines = buffer(this.gl, new Float32Array(rows)); this.drawMarks(c, this.lines, rows.length / 19);
  }

  // -- what is pressed --------------------------------------------------------------------------------------------------------------

  play(on) {
    [this.running, this.wait, this.dirty] = [on, 0, true];
    const b = this.find("play"); b.textContent = on ? "❚❚" : "▶"; b.title = on ? "Pause" : "Play";
    if (on && this.t >= this.D.span[1]) this.t = this.D.span[0];
  }

  controls() {
    const {D} = this, slider = this.find("time"), [first, last] = D.span;
    this.find("playing").hidden = !(last > first);
    [slider.min, slider.max, slider.value] = [first, last, this.t]; this.rate = (last - first) / D.seconds;
    slider.oninput = () => { this.play(false); this.t = +slider.value; this.dirty = true; };
    this.find("play").onclick = () => this.play(!this.running);
    for (const name of ["glass", "axes"]) this.find(name).onchange = () => { this.dirty = true; };
    this.element.querySelectorAll("[data-look]").forEach(b => { b.onclick = () => this.look(b.dataset.look.split(" ").map(Number)); });
    this.element.querySelectorAll("[data-body]").forEach(b => { b.onchange = () => {
      b.checked ? this.hidden.delete(+b.dataset.body) : this.hidden.add(+b.dataset.body); this.dirty = true; }; });
    const chart = this.find("chart");
    if (chart) chart.onclick = e => { const box = chart.getBoundingClientRect(); this.play(false); this.dirty = true;
      this.t = first + (last - first) * clamp((e.clientX - box.left) / box.width, 0, 1); };
  }

  pointers() {
    const at = new Map(), c = this.canvas;
    c.onpointerdown = e => { c.setPointerCapture(e.pointerId); at.set(e.pointerId, [e.clientX, e.clientY]); };
    c.onpointerup = c.onpointercancel = e => at.delete(e.pointerId);
    c.oncontextmenu = e => e.preventDefault();
    c.onwheel = e => { e.preventDefault(); this.zoom(Math.exp(e.deltaY * .001)); };
    c.ondblclick = () => this.look(this.D.view);
    c.onpointermove = e => {
      if (!at.has(e.pointerId)) return this.tell(e);
      const [x, y] = at.get(e.pointerId), others = [...at].filter(([k]) => k !== e.pointerId).map(o => o[1]);
      at.set(e.pointerId, [e.clientX, e.clientY]); this.kept = true; this.dirty = true;
      const dx = e.clientX - x, dy = e.clientY - y;
      if (others.length) { const [ox, oy] = others[0];
        return this.zoom(Math.hypot(x - ox, y - oy) / Math.max(1, Math.hypot(e.clientX - ox, e.clientY - oy))); }
      if (e.buttons === 1 && !e.shiftKey) { this.round -= dx * .008; this.up = clamp(this.up + dy * .008, -1.57, 1.57); return; }
      const {right, top} = this.camera(), k = 2 * SLOPE * this.far / c.clientHeight;
      this.middle = this.middle.map((m, i) => m - k * dx * right[i] + k * dy * top[i]); };
  }

  zoom(by) { this.far *= by; this.kept = true; this.dirty = true; }

  // What is known of the mark under the pointer.
  tell(e) {
    const tip = this.find("tip"), box = this.canvas.getBoundingClientRect(); let best = 14 * this.pixel(), found = -1;
    if (!this.now) return;
    for (let k = 0; k < this.D.labels.length; k++) {
      const m = this.marks.subarray(19 * k, 19 * k + 19), way = clamp((this.t - m[7]) / (m[8] - m[7]), 0, 1);
      if (!this.D.labels[k] || this.t < m[7] || this.t > m[8]) continue;
      const [x, y] = this.place([0, 1, 2].map(i => m[i] + way * (m[13 + i] - m[i])), this.now);
      const d = Math.hypot(x - (e.clientX - box.left) * this.pixel(), y - (e.clientY - box.top) * this.pixel());
      if (d < best) { best = d; found = k; } }
    tip.hidden = found < 0;
    if (found >= 0) { tip.textContent = this.D.labels[found];
      tip.style.left = clamp(e.clientX - box.left + 12, 4, Math.max(4, box.width - tip.offsetWidth - 4)) + "px";
      tip.style.top = clamp(e.clientY - box.top + 12, 4, Math.max(4, box.height - tip.offsetHeight - 4)) + "px"; }
  }

  step(now) {
    const [first, last] = this.D.span, speed = +this.find("speed").value, spent = Math.min(.1, (now - (this.before || now)) / 1000);
    this.before = now;
    if (this.running && this.visible) {
      this.hurry(spent);
      if (this.t < last) this.t = Math.min(last, this.t + spent * this.rate * speed);
      else if ((this.wait += spent) > this.D.hold) { this.wait = 0; if (this.find("loop").checked) this.t = first; else this.play(false); }
      this.find("time").value = this.t; this.dirty = true; }
    if (this.dirty && this.visible) {
      this.dirty = false; this.draw(); this.find("clock").textContent = "t = " + this.t.toFixed(this.D.digits);
      const hand = this.find("hand"), x = 1000 * (this.t - first) / (last - first || 1);
      if (hand) for (const end of ["x1", "x2"]) hand.setAttribute(end, x); }
    requestAnimationFrame(next => this.step(next));
  }
}
window.viewers = window.viewers || [];
document.querySelectorAll(".scene:not([data-live])").forEach(e => { e.dataset.live = ""; window.viewers.push(new Viewer(e)); });
})();
