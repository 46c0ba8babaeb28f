"""The page of `page`: HTML with a small WebGL program. Drag turns, wheel zooms, right drag moves; slider, speed and pause."""

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>@TITLE@</title><style>
html,body{margin:0;height:100%;background:#f4f4f2;font:14px system-ui,sans-serif;color:#222;overflow:hidden}
canvas{display:block;width:100vw;height:100vh;touch-action:none}
#bar{position:fixed;left:0;right:0;bottom:0;padding:8px 14px;background:#fffd;display:flex;gap:10px;align-items:center}
#bar input[type=range]{flex:1}#text{position:fixed;left:14px;top:10px;max-width:60ch;background:#fffb;padding:6px 10px;border-radius:6px}
#energy{position:fixed;right:14px;top:10px;background:#fffb;border-radius:6px}h1{font-size:15px;margin:0 0 2px}p{margin:0}
</style></head><body><canvas id="view"></canvas><div id="text"><h1>@TITLE@</h1><p>@SUMMARY@</p></div>
<svg id="energy" width="220" height="70"><text x="6" y="14" font-size="11">energy</text><path fill="none" stroke="#b5542b"/>
<line y1="16" y2="66" stroke="#0006"/></svg>
<div id="bar"><button id="play">pause</button><span id="clock"></span><input id="time" type="range" min="0" max="1000" value="0" step="any">
<select id="speed"><option value="0.1">0.1 x</option><option value="0.25">0.25 x</option><option value="1" selected>1 x</option>
<option value="2">2 x</option><option value="4">4 x</option></select></div>
<script type="application/json" id="data">@DATA@</script><script>
"use strict";
const D = JSON.parse(document.getElementById("data").textContent);
const floats = s => new Float32Array(Uint8Array.from(atob(s), c => c.charCodeAt(0)).buffer);
const times = floats(D.times), places = floats(D.places), n = D.count;
const canvas = document.getElementById("view"), gl = canvas.getContext("webgl", {antialias: true});
const shader = (kind, text) => {
  const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s);
  if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw gl.getShaderInfoLog(s); return s; };
const program = gl.createProgram();
gl.attachShader(program, shader(gl.VERTEX_SHADER, `attribute vec3 p, m; uniform mat4 view; uniform vec4 q; uniform vec3 at, eye;
uniform float scale; varying vec3 normal, away;
vec3 turn(vec3 v){ return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }
void main(){ vec3 w = at + scale * turn(p); normal = turn(m); away = eye - w; gl_Position = view * vec4(w, 1.0); }`));
gl.attachShader(program, shader(gl.FRAGMENT_SHADER, `precision mediump float; varying vec3 normal, away; uniform vec4 colour;
void main(){ vec3 a = normalize(away), m = normalize(normal); m *= sign(dot(m, a) + 1e-6); float top = 0.5 + 0.5 * m.z;
vec3 light = normalize(vec3(0.4, 0.3, 0.9)); float d = max(dot(m, light), 0.0);
float s = pow(max(dot(normalize(light + a), m), 0.0), 40.0);
gl_FragColor = vec4(colour.rgb * (0.35 + 0.25 * top + 0.5 * d) + 0.2 * s, colour.a); }`));
gl.linkProgram(program); gl.useProgram(program);
const where = name => gl.getUniformLocation(program, name), U = {};
for (const name of ["view", "q", "at", "eye", "scale", "colour"]) U[name] = where(name);
const P = gl.getAttribLocation(program, "p"), M = gl.getAttribLocation(program, "m");
gl.enableVertexAttribArray(P); gl.enableVertexAttribArray(M);
const buffer = a => {
  const b = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, b); gl.bufferData(gl.ARRAY_BUFFER, a, gl.STATIC_DRAW); return b; };
const made = (p, m) => ({p: buffer(p), m: buffer(m), count: p.length / 3});
const shapes = D.shapes.map(s => made(floats(s.corners), floats(s.normals)));
const spark = (() => { const e = [[1,0,0],[-1,0,0],[0,1,0],[0,-1,0],[0,0,1],[0,0,-1]], out = [];
  for (const x of [0,1]) for (const y of [2,3]) for (const z of [4,5]) out.push(...e[x], ...e[y], ...e[z]);
  const a = new Float32Array(out); return made(a, a); })();
const colours = [[.20,.47,.72],[.85,.45,.20],[.30,.62,.38],[.70,.35,.62],[.86,.70,.25],[.40,.66,.74],[.76,.34,.34],[.52,.47,.80]];
let middle = D.size.slice(0, 3), far = 2.6 * D.size[3], round = -1.1, up = 0.45;
const cross = (a, b) => [a[1]*b[2]-a[2]*b[1], a[2]*b[0]-a[0]*b[2], a[0]*b[1]-a[1]*b[0]], dot = (a, b) => a[0]*b[0]+a[1]*b[1]+a[2]*b[2];
const unit = a => { const l = Math.hypot(...a); return a.map(x => x / l); };
function camera() {
  const back = [Math.cos(up)*Math.cos(round), Math.cos(up)*Math.sin(round), Math.sin(up)], eye = middle.map((x, k) => x + far * back[k]);
  const right = unit(cross([0,0,1], back)), top = cross(back, right), near = far / 200, end = far * 40, f = 1.8;
  const a = canvas.width / canvas.height;
  const rows = [right, top, back].map(r => [...r, -dot(r, eye)]);
  const clip = [rows[0].map(x => x*f/a), rows[1].map(x => x*f),
    rows[2].map((x, k) => x*(end+near)/(near-end) + (k === 3 ? 2*end*near/(near-end) : 0)), rows[2].map(x => -x)];
  const view = new Float32Array(16); for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) view[4*j+i] = clip[i][j];
  return {view, eye, right, top}; }
function draw(shape, at, q, scale, colour) {
  gl.bindBuffer(gl.ARRAY_BUFFER, shape.p); gl.vertexAttribPointer(P, 3, gl.FLOAT, false, 0, 0);
  gl.bindBuffer(gl.ARRAY_BUFFER, shape.m); gl.vertexAttribPointer(M, 3, gl.FLOAT, false, 0, 0);
  gl.uniform3fv(U.at, at); gl.uniform4fv(U.q, q); gl.uniform1f(U.scale, scale); gl.uniform4fv(U.colour, colour);
  gl.drawArrays(gl.TRIANGLES, 0, shape.count); }
function scene(t) {
  const wide = canvas.clientWidth * devicePixelRatio | 0, high = canvas.clientHeight * devicePixelRatio | 0;
  if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
  gl.viewport(0, 0, wide, high); gl.clearColor(.957, .957, .949, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  const c = camera(); gl.uniformMatrix4fv(U.view, false, c.view); gl.uniform3fv(U.eye, c.eye);
  let lo = 0, hi = D.frames - 1; while (hi - lo > 1) { const k = (lo + hi) >> 1; if (times[k] <= t) lo = k; else hi = k; }
  const s = hi > lo && times[hi] > times[lo] ? Math.min(1, Math.max(0, (t - times[lo]) / (times[hi] - times[lo]))) : 0;
  const order = [...Array(n).keys()].sort((a, b) => D.fixed[a] - D.fixed[b]);
  for (const k of order) {
    const a = places.subarray(7*(lo*n + k), 7*(lo*n + k) + 7), b = places.subarray(7*(hi*n + k), 7*(hi*n + k) + 7), at = [], q = [];
    for (let i = 0; i < 3; i++) at.push(a[i] + s * (b[i] - a[i]));
    const side = a[3]*b[3] + a[4]*b[4] + a[5]*b[5] + a[6]*b[6] < 0 ? -1 : 1;
    for (let i = 3; i < 7; i++) q.push(a[i] + s * (side * b[i] - a[i]));
    draw(shapes[D.which[k]], at, unit(q), 1, D.fixed[k] ? [.72, .72, .70, .45] : [...colours[k % colours.length], 1]); }
  const lasts = (times[D.frames-1] - times[0]) / 60;
  for (const [when, ...p] of D.flashes) { const age = t - when;
    if (age >= 0 && age < lasts) draw(spark, p, [1,0,0,0], D.size[3] * .04 * (1 - age / lasts), [1, .8, .1, 1 - age / lasts]); } }
const first = times[0], last = times[D.frames-1], slider = document.getElementById("time"), button = document.getElementById("play");
const rate = Math.max((last - first) / 12, Math.min(1, last - first)) || 1;
let t = first, running = true, before = 0;
slider.min = first; slider.max = last;
slider.oninput = () => { t = +slider.value; running = false; button.textContent = "play"; };
button.onclick = () => { running = !running; if (running && t >= last) t = first; button.textContent = running ? "pause" : "play"; };
canvas.onpointerdown = e => canvas.setPointerCapture(e.pointerId);
canvas.onpointermove = e => { if (!e.buttons) return;
  if (e.buttons === 1) { round -= e.movementX * .008; up = Math.max(-1.5, Math.min(1.5, up + e.movementY * .008)); return; }
  const c = camera(), k = far / canvas.clientHeight;
  middle = middle.map((x, i) => x - k * e.movementX * c.right[i] + k * e.movementY * c.top[i]); };
canvas.oncontextmenu = e => e.preventDefault();
canvas.onwheel = e => { e.preventDefault(); far *= Math.exp(e.deltaY * .001); };
const svg = document.getElementById("energy"), low = Math.min(...D.energy), range = Math.max(...D.energy) - low || 1;
const dots = D.energy.map((e, k) => `${6 + 208*k/(D.energy.length-1 || 1)},${64 - 44*(e-low)/range}`);
svg.querySelector("path").setAttribute("d", "M" + dots.join("L"));
function step(now) {
  if (running) { t += Math.min(.1, (now - before) / 1000) * rate * document.getElementById("speed").value;
    if (t >= last) { t = last; running = false; button.textContent = "play"; } slider.value = t; }
  before = now; document.getElementById("clock").textContent = "t = " + t.toFixed(3);
  const x = 6 + 208 * (t - first) / (last - first || 1), line = svg.querySelector("line");
  line.setAttribute("x1", x); line.setAttribute("x2", x);
  scene(t); requestAnimationFrame(step); }
requestAnimationFrame(step);
</script></body></html>
"""
