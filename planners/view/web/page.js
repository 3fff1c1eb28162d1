'use strict';
(function () {
  const $ = (id) => document.getElementById(id);

  // What went wrong is shown, and written where a test finds it.
  const status = { errors: [], webgl: false, meshes: 0, triangles: 0, frames: 0, colours: 0 };
  function report() { $('status').textContent = JSON.stringify(status); }
  function fail(text) {
    status.errors.push(String(text));
    $('errors').textContent = status.errors.join('\n');
    report();
  }
  window.addEventListener('error', (e) => fail(e.message));
  window.addEventListener('unhandledrejection', (e) => fail(e.reason));

  // ---- data ------------------------------------------------------------------------------------
  const data = JSON.parse($('data').textContent);
  function bytes(text) {
    const raw = atob(text), out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; ++i) out[i] = raw.charCodeAt(i);
    return new DataView(out.buffer);
  }
  // DataView reads the same on every machine; typed arrays would take the machine's byte order.
  function floats(text) {
    const view = bytes(text), out = new Float32Array(view.byteLength / 4);
    for (let i = 0; i < out.length; ++i) out[i] = view.getFloat32(4 * i, true);
    return out;
  }
  function doubles(text) {
    const view = bytes(text), out = new Float64Array(view.byteLength / 8);
    for (let i = 0; i < out.length; ++i) out[i] = view.getFloat64(8 * i, true);
    return out;
  }
  function integers(text) {
    const view = bytes(text), out = new Uint32Array(view.byteLength / 4);
    for (let i = 0; i < out.length; ++i) out[i] = view.getUint32(4 * i, true);
    return out;
  }
  const path = data.path;
  const seconds = doubles(path.seconds), edgeTimes = doubles(path.edge_times);
  const poses = floats(path.poses);
  const numFrames = seconds.length, numLinks = path.links, numEdges = data.edges.length;
  const duration = seconds[numFrames - 1];
  status.frames = numFrames;

  const kColours = { free: '#2e9e5b', collision: '#d62828', undecided: '#e0a100', unknown: '#8593a1' };
  const kMeaning = { free: 'proven free', collision: 'proven collision', undecided: 'undecided',
                     unknown: 'not checked' };
  const kRobot = [0x0b7a99, 0x2f9fb8], kOther = [0x7a5ca8, 0x9a82c0], kBase = 0x55636f;
  const kAttached = 0xd98324, kContact = 0xd62828;
  const kScene = [0x8a97a3, 0xa08f6f, 0x6f8fa8, 0x8fa37c, 0xa37c8c, 0x7f86ad];

  const nameOf = (e) => e + ' (states ' + e + ' to ' + (e + 1) + ')';
  // What is known of edge e, piece by piece: [verdict, from, to], from and to in [0, 1].
  function piecesOf(e) {
    const edge = data.edges[e];
    if (edge.free_until === undefined || edge.verdict === 'free') return [[edge.verdict, 0, 1]];
    const collides = edge.verdict === 'collision';
    const known = edge.contact !== undefined ? edge.contact : edge.free_until;
    const contact = collides ? known : 1;
    const pieces = [['free', 0, edge.free_until], ['undecided', edge.free_until, contact],
                    [edge.verdict, contact, 1]];
    // A contact at the very end is an instant, and still to be seen.
    return pieces.filter((p) => p[2] > p[1] || (collides && p[0] === 'collision'));
  }
  const pieces = data.edges.map((unused, e) => piecesOf(e));
  function verdictAt(e, t) {
    let found = pieces[e][0][0];
    for (const [verdict, from] of pieces[e]) if (t >= from - 1e-9) found = verdict;
    return found;
  }

  // ---- text ------------------------------------------------------------------------------------
  document.title = data.title + ' \u2013 Catena';
  $('title').textContent = data.title;
  $('names').textContent = 'robot ' + data.robot + (data.scene ? ' \u00b7 scene ' + data.scene : '');
  $('summary').textContent = data.summary;
  const notes = data.notes.slice();
  if (data.origin.some((x) => x !== 0)) {
    notes.push('Drawn around ' + data.origin.join(', ') + ' m of the world frame.');
  }
  $('notes').textContent = notes.join('\n');
  if (data.contact) {
    $('contact').hidden = false;
    const p = data.contact.point.map((x, i) => (x + data.origin[i]).toPrecision(6));
    const edge = Math.min(Math.floor(data.contact.edge_time), Math.max(numEdges - 1, 0));
    $('contact_text').textContent = 'Contact of ' + data.contact.names[0] + ' and ' +
      data.contact.names[1] + (numEdges > 0 ? ' on edge ' + nameOf(edge) + ' at t = ' +
      (data.contact.edge_time - edge).toFixed(6) : '') + ', at (' + p.join(', ') + ') m';
  }
  function legend(colour, text) {
    const row = document.createElement('div'), chip = document.createElement('span');
    chip.className = 'chip';
    chip.style.background = colour;
    row.appendChild(chip);
    row.appendChild(document.createTextNode(text));
    $('legend').appendChild(row);
  }
  const hex = (c) => '#' + c.toString(16).padStart(6, '0');
  legend(hex(kRobot[0]), 'robot');
  if (data.bodies.some((b) => b.kind === 'robot' && b.name.includes('/'))) {
    legend(hex(kOther[0]), 'other robots');
  }
  if (data.bodies.some((b) => b.kind === 'attached')) legend(hex(kAttached), 'carried object');
  if (data.bodies.some((b) => b.kind === 'scene')) legend(hex(kScene[0]), 'scene');
  if (data.contact) legend(hex(kContact), 'bodies in contact');
  for (const v of Object.keys(kColours)) {
    if (data.edges.some((e) => e.verdict === v)) legend(kColours[v], 'edge ' + kMeaning[v]);
  }

  // ---- state that the controls share -----------------------------------------------------------
  let now = 0, playing = false, dirty = true;
  const wish = {};
  for (const part of location.hash.slice(1).split('&')) {
    const at = part.indexOf('=');
    if (at > 0) wish[part.slice(0, at)] = parseFloat(part.slice(at + 1));
  }

  function frameAt(s) {  // the last frame not after s
    let lo = 0, hi = numFrames - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (seconds[mid] <= s) lo = mid; else hi = mid - 1;
    }
    return lo;
  }
  function secondsOfEdgeTime(t) {
    if (numEdges === 0) return 0;
    const e = Math.min(Math.max(Math.floor(t), 0), numEdges - 1), u = Math.min(t - e, 1);
    return path.state_seconds[e] * (1 - u) + path.state_seconds[e + 1] * u;
  }

  // ---- scene -----------------------------------------------------------------------------------
  let renderer = null;
  try {
    renderer = new THREE.WebGLRenderer({ canvas: $('view'), antialias: true });
    status.webgl = true;
  } catch (e) {
    fail('WebGL is not available in this browser, so there is no picture (' + e.message + ')');
  }

  const scene = new THREE.Scene();
  scene.background = new THREE.Color(0xeef2f5);
  const lo = new THREE.Vector3().fromArray(data.fit[0]), hi = new THREE.Vector3().fromArray(data.fit[1]);
  const centre = lo.clone().add(hi).multiplyScalar(0.5);
  const size = Math.max(hi.distanceTo(lo), 1e-6);

  scene.add(new THREE.HemisphereLight(0xffffff, 0x9aa5b0, 0.78));
  const sun = new THREE.DirectionalLight(0xffffff, 0.55);
  sun.position.copy(centre).add(new THREE.Vector3(-0.35, -0.55, 1.0).multiplyScalar(size));
  sun.target.position.copy(centre);
  sun.castShadow = true;
  sun.shadow.mapSize.set(2048, 2048);
  Object.assign(sun.shadow.camera, { left: -size / 1.6, right: size / 1.6, top: size / 1.6,
    bottom: -size / 1.6, near: size * 0.1, far: size * 2.5 });
  sun.shadow.bias = -0.0005;
  scene.add(sun, sun.target);

  function meshGeometry(shape) {
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', new THREE.BufferAttribute(floats(shape.positions), 3));
    g.setAttribute('normal', new THREE.BufferAttribute(floats(shape.normals), 3));
    g.setIndex(new THREE.BufferAttribute(integers(shape.indices), 1));
    return g;
  }
  function elementGeometry(shape) {  // many boxes or balls in one buffer
    const unit = shape.kind === 'boxes' ? new THREE.BoxBufferGeometry(2, 2, 2)
                                        : new THREE.SphereBufferGeometry(1, 8, 5);
    const e = floats(shape.elements), n = e.length / 6;
    const p = unit.attributes.position.array, m = unit.attributes.normal.array;
    const index = unit.index.array, count = p.length / 3;
    const position = new Float32Array(n * p.length), normal = new Float32Array(n * p.length);
    const indices = new Uint32Array(n * index.length);
    for (let i = 0; i < n; ++i) {
      for (let k = 0; k < p.length; ++k) {
        position[i * p.length + k] = e[6 * i + k % 3] + e[6 * i + 3 + k % 3] * p[k];
        normal[i * p.length + k] = m[k];
      }
      for (let k = 0; k < index.length; ++k) indices[i * index.length + k] = i * count + index[k];
    }
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', new THREE.BufferAttribute(position, 3));
    g.setAttribute('normal', new THREE.BufferAttribute(normal, 3));
    g.setIndex(new THREE.BufferAttribute(indices, 1));
    return g;
  }
  const geometries = data.shapes.map((s) => s.kind === 'mesh' ? meshGeometry(s) : elementGeometry(s));
  const outlines = geometries.map(() => null);
  function outline(i) {
    if (!outlines[i] && geometries[i].index.count < 60000) {
      outlines[i] = new THREE.EdgesGeometry(geometries[i], 35);
    }
    return outlines[i];
  }

  const links = [], ghosts = [new THREE.Group(), new THREE.Group()];
  for (let i = 0; i < numLinks; ++i) {
    links.push(new THREE.Group());
    scene.add(links[i]);
  }
  const ghostLinks = ghosts.map((ghost) => {
    ghost.visible = false;
    scene.add(ghost);
    const groups = links.map(() => new THREE.Group());
    if (groups.length) ghost.add(...groups);
    return groups;
  });
  const ghostMaterials = [0x3b82f6, 0x16a34a].map((c) => new THREE.MeshLambertMaterial(
    { color: c, transparent: true, opacity: 0.16, depthWrite: false }));

  const sceneMaterials = [], outlineGroup = [], contactMaterials = [];
  // Objects of one family (wall_1_left, wall_2_above) share a colour: the name up to its number.
  const families = new Map();
  function sceneColour(name) {
    const family = name.replace(/^scene::/, '').replace(/[\d].*$/, '');
    if (!families.has(family)) families.set(family, kScene[families.size % kScene.length]);
    return families.get(family);
  }
  const materials = data.bodies.map((body, i) => {
    let colour, isScene = body.kind === 'scene';
    if (isScene) colour = sceneColour(body.name);
    else if (body.kind === 'attached') colour = kAttached;
    else if (body.link === 0) colour = kBase;
    else colour = (body.name.includes('/') ? kOther : kRobot)[body.link % 2];
    const m = new THREE.MeshStandardMaterial({ color: colour, roughness: 0.62, metalness: 0.08,
      side: THREE.DoubleSide });
    if (isScene) {
      m.transparent = true;
      m.depthWrite = false;
      sceneMaterials.push(m);
    }
    if (data.contact && data.contact.bodies.includes(i)) {
      contactMaterials.push({ material: m, colour: m.color.clone() });
    }
    return m;
  });
  for (const part of data.parts) {
    const body = data.bodies[part.body];
    const mesh = new THREE.Mesh(geometries[part.shape], materials[part.body]);
    mesh.position.fromArray(part.pose);
    mesh.quaternion.fromArray(part.pose, 3);
    mesh.castShadow = body.kind !== 'scene';
    mesh.receiveShadow = true;
    (part.link < 0 ? scene : links[part.link]).add(mesh);
    status.meshes += 1;
    status.triangles += geometries[part.shape].index.count / 3;
    if (part.link < 0) {
      const edges = outline(part.shape);
      if (edges) {
        const line = new THREE.LineSegments(edges, new THREE.LineBasicMaterial(
          { color: 0x42505d, transparent: true, opacity: 0.55 }));
        line.position.copy(mesh.position);
        line.quaternion.copy(mesh.quaternion);
        scene.add(line);
        outlineGroup.push(line);
      }
    } else {
      ghostLinks.forEach((groups, k) => {
        const ghost = new THREE.Mesh(mesh.geometry, ghostMaterials[k]);
        ghost.position.copy(mesh.position);
        ghost.quaternion.copy(mesh.quaternion);
        groups[part.link].add(ghost);
      });
    }
  }

  const qa = new THREE.Quaternion(), qb = new THREE.Quaternion();
  const pa = new THREE.Vector3(), pb = new THREE.Vector3();
  function place(groups, s) {
    const f = frameAt(s), g = Math.min(f + 1, numFrames - 1);
    const span = seconds[g] - seconds[f];
    const u = span > 0 ? Math.min(Math.max((s - seconds[f]) / span, 0), 1) : 0;
    for (let l = 0; l < numLinks; ++l) {
      const a = 7 * (f * numLinks + l), b = 7 * (g * numLinks + l);
      pa.fromArray(poses, a);
      pb.fromArray(poses, b);
      qa.fromArray(poses, a + 3);
      qb.fromArray(poses, b + 3);
      groups[l].position.copy(pa.lerp(pb, u));
      groups[l].quaternion.copy(qa.slerp(qb, u));
    }
    return edgeTimes[f] + u * (edgeTimes[g] - edgeTimes[f]);
  }
  place(ghostLinks[0], 0);
  place(ghostLinks[1], duration);

  // The trace of the origin of the chain's last link.
  const tracePoints = new Float32Array(3 * numFrames);
  for (let f = 0; f < numFrames; ++f) {
    for (let k = 0; k < 3; ++k) {
      tracePoints[3 * f + k] = poses[7 * (f * numLinks + data.trace_link) + k];
    }
  }
  const traceGeometry = new THREE.BufferGeometry();
  traceGeometry.setAttribute('position', new THREE.BufferAttribute(tracePoints, 3));
  const trace = new THREE.Line(traceGeometry, new THREE.LineBasicMaterial({ color: 0xc2410c }));
  scene.add(trace);

  // Ground grid with a round cell, axes of the world frame (x red, y green, z blue).
  const helpers = new THREE.Group();
  scene.add(helpers);
  const power = Math.pow(10, Math.floor(Math.log10(size / 8)));
  const cell = power * (size / 8 / power >= 5 ? 5 : size / 8 / power >= 2 ? 2 : 1);
  const cells = 2 * Math.ceil(0.9 * size / cell);
  const grid = new THREE.GridHelper(cells * cell, cells, 0xaab5c0, 0xcfd7de);
  grid.rotation.x = Math.PI / 2;
  grid.position.set(Math.round(centre.x / cell) * cell, Math.round(centre.y / cell) * cell,
                    lo.z - 0.002 * size);
  helpers.add(grid);
  const axes = new THREE.AxesHelper(0.08 * size);
  axes.position.set(-data.origin[0], -data.origin[1], -data.origin[2]);
  helpers.add(axes);
  $('cell').textContent = '(' + Number(cell.toPrecision(3)) + ' m)';
  const shadow = new THREE.Mesh(new THREE.PlaneBufferGeometry(4 * size, 4 * size),
                                new THREE.ShadowMaterial({ opacity: 0.16 }));
  shadow.position.copy(grid.position);
  shadow.receiveShadow = true;
  helpers.add(shadow);

  let marker = null;
  if (data.contact) {
    marker = new THREE.Group();
    const dot = new THREE.Mesh(new THREE.SphereBufferGeometry(1, 20, 14),
      new THREE.MeshBasicMaterial({ color: 0xffd60a, depthTest: false, transparent: true }));
    const halo = new THREE.Mesh(new THREE.RingBufferGeometry(2.2, 2.8, 40),
      new THREE.MeshBasicMaterial({ color: kContact, depthTest: false, transparent: true,
        side: THREE.DoubleSide }));
    dot.renderOrder = 11;
    halo.renderOrder = 10;
    marker.add(dot, halo);
    marker.position.fromArray(data.contact.point);
    scene.add(marker);
  }

  // ---- camera: turns around a target, z stays up ------------------------------------------------
  const camera = new THREE.PerspectiveCamera(38, 1, 0.01, 100);
  camera.up.set(0, 0, 1);
  const orbit = { target: centre.clone(), azimuth: -2.05, elevation: 0.42, distance: 1 };
  function fitDistance() {
    const half = Math.tan(camera.fov * Math.PI / 360) * Math.min(1, camera.aspect);
    return 0.42 * size / half;
  }
  function placeCamera() {
    const e = orbit.elevation, a = orbit.azimuth, d = orbit.distance;
    camera.position.set(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e))
      .multiplyScalar(d).add(orbit.target);
    camera.near = Math.max(d - 6 * size, d * 0.02);
    camera.far = d + 8 * size;
    camera.lookAt(orbit.target);
    camera.updateProjectionMatrix();
    if (marker) {
      marker.scale.setScalar(0.006 * camera.position.distanceTo(marker.position));
      marker.quaternion.copy(camera.quaternion);
    }
    dirty = true;
  }
  function look(view) {
    const kViews = { fit: [-2.05, 0.42], front: [Math.PI, 0.05], side: [-Math.PI / 2, 0.05],
                     top: [-Math.PI / 2, 1.5707] };
    [orbit.azimuth, orbit.elevation] = kViews[view];
    orbit.target.copy(centre);
    orbit.distance = fitDistance();
    placeCamera();
  }
  const pan = new THREE.Vector3();
  function move(dx, dy) {  // pixels
    const perPixel = 2 * orbit.distance * Math.tan(camera.fov * Math.PI / 360) / $('view').clientHeight;
    orbit.target.add(pan.setFromMatrixColumn(camera.matrix, 0).multiplyScalar(-dx * perPixel));
    orbit.target.add(pan.setFromMatrixColumn(camera.matrix, 1).multiplyScalar(dy * perPixel));
    placeCamera();
  }
  function turn(dx, dy) {
    orbit.azimuth -= dx * 0.006;
    orbit.elevation = Math.min(1.5707, Math.max(-1.5707, orbit.elevation + dy * 0.006));
    placeCamera();
  }
  function zoom(factor) {
    orbit.distance = Math.min(Math.max(orbit.distance * factor, 1e-3 * size), 20 * size);
    placeCamera();
  }
  const fingers = new Map();
  const view = $('view');
  view.addEventListener('pointerdown', (e) => {
    fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    view.setPointerCapture(e.pointerId);
  });
  view.addEventListener('pointermove', (e) => {
    const finger = fingers.get(e.pointerId);
    if (!finger) return;
    const dx = e.clientX - finger.x, dy = e.clientY - finger.y;
    if (fingers.size === 2) {  // pinch: zoom by the change of distance, move by half of each
      const other = Array.from(fingers.entries()).find((f) => f[0] !== e.pointerId)[1];
      const before = Math.hypot(finger.x - other.x, finger.y - other.y);
      const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
      if (before > 0 && after > 0) zoom(before / after);
      move(dx / 2, dy / 2);
    } else if (e.buttons & 6 || e.shiftKey || e.ctrlKey) move(dx, dy);
    else turn(dx, dy);
    finger.x = e.clientX;
    finger.y = e.clientY;
  });
  for (const end of ['pointerup', 'pointercancel']) {
    view.addEventListener(end, (e) => fingers.delete(e.pointerId));
  }
  view.addEventListener('wheel', (e) => {
    e.preventDefault();
    zoom(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * 0.0025));
  }, { passive: false });
  view.addEventListener('contextmenu', (e) => e.preventDefault());
  for (const button of document.querySelectorAll('[data-view]')) {
    button.addEventListener('click', () => look(button.dataset.view));
  }

  // ---- time bar ----------------------------------------------------------------------------------
  const bar = $('time'), pen = bar.getContext('2d');
  const kMargin = 8;
  const barX = (s) => kMargin + (bar.clientWidth - 2 * kMargin) * (duration > 0 ? s / duration : 0);
  function drawBar() {
    const scale = window.devicePixelRatio || 1, w = bar.clientWidth, h = bar.clientHeight;
    if (bar.width !== Math.round(w * scale) || bar.height !== Math.round(h * scale)) {
      bar.width = Math.round(w * scale);
      bar.height = Math.round(h * scale);
    }
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, w, h);
    pen.fillStyle = '#cfd7de';
    pen.fillRect(kMargin, 15, w - 2 * kMargin, 9);
    for (let e = 0; e < numEdges; ++e) {
      const a = barX(path.state_seconds[e]), b = barX(path.state_seconds[e + 1]);
      pen.globalAlpha = path.state_seconds[e] <= now ? 1 : 0.5;
      for (const [verdict, from, to] of pieces[e]) {
        pen.fillStyle = kColours[verdict];
        pen.fillRect(a + from * (b - a), 15, Math.max((to - from) * (b - a), 0.5), 9);
      }
    }
    pen.globalAlpha = 1;
    pen.fillStyle = '#1d2733';
    const sparse = Math.ceil(numEdges / Math.max(1, (w - 2 * kMargin) / 4));
    for (let e = 0; e <= numEdges; e += sparse || 1) {
      pen.fillRect(barX(path.state_seconds[e]) - 0.5, 13, 1, 13);
    }
    if (data.contact) {
      const x = barX(data.contact.seconds);
      pen.fillStyle = kColours.collision;
      pen.beginPath();
      pen.moveTo(x, 13);
      pen.lineTo(x - 5, 3);
      pen.lineTo(x + 5, 3);
      pen.fill();
    }
    const x = barX(now);
    pen.fillStyle = '#fff';
    pen.strokeStyle = '#1d2733';
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(x, 19.5, 6.5, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
  }
  function seek(s) {
    now = Math.min(Math.max(s, 0), duration);
    dirty = true;
  }
  function seekPointer(e) {
    const x = e.clientX - bar.getBoundingClientRect().left;
    seek(duration * (x - kMargin) / Math.max(1, bar.clientWidth - 2 * kMargin));
  }
  let scrubbing = false;
  bar.addEventListener('pointerdown', (e) => {
    scrubbing = true;
    bar.setPointerCapture(e.pointerId);
    play(false);
    seekPointer(e);
  });
  bar.addEventListener('pointermove', (e) => { if (scrubbing) seekPointer(e); });
  for (const end of ['pointerup', 'pointercancel']) {
    bar.addEventListener(end, () => { scrubbing = false; });
  }
  function play(on) {
    playing = on && duration > 0;
    if (playing && now >= duration) now = 0;
    $('play').textContent = playing ? 'Pause' : 'Play';
    dirty = true;
  }
  $('play').disabled = !(duration > 0);
  $('play').addEventListener('click', () => play(!playing));
  $('jump').addEventListener('click', () => { play(false); seek(data.contact.seconds); });
  window.addEventListener('keydown', (e) => {
    if (e.target.tagName === 'SELECT' || e.target.tagName === 'INPUT') return;
    if (e.key === ' ') {
      if (e.target.tagName === 'BUTTON') return;
      e.preventDefault();
      play(!playing);
    } else if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') {
      e.preventDefault();
      play(false);
      seek(now + (e.key === 'ArrowLeft' ? -1 : 1) * duration / 200);
    } else if (e.key === 'Home') seek(0);
    else if (e.key === 'End') seek(duration);
  });

  // ---- options ---------------------------------------------------------------------------------
  function applyOptions() {
    const opacity = parseFloat($('opacity').value);
    for (const m of sceneMaterials) {
      m.opacity = opacity;
      m.depthWrite = opacity >= 1;
    }
    for (const line of outlineGroup) line.visible = $('edges_on').checked;
    trace.visible = $('trace_on').checked;
    for (const ghost of ghosts) ghost.visible = $('ghosts_on').checked;
    helpers.visible = $('grid_on').checked;
    dirty = true;
  }
  for (const id of ['opacity', 'edges_on', 'trace_on', 'ghosts_on', 'grid_on']) {
    $(id).addEventListener('input', applyOptions);
  }

  // ---- drawing -----------------------------------------------------------------------------------
  function resize() {
    const w = window.innerWidth, h = window.innerHeight;
    if (renderer) {
      renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
      renderer.setSize(w, h, false);
    }
    camera.aspect = w / Math.max(h, 1);
    placeCamera();
  }
  window.addEventListener('resize', resize);

  function draw() {
    const edgeTime = place(links, now);
    const e = Math.min(Math.floor(edgeTime), Math.max(numEdges - 1, 0));
    const inContact = data.contact && edgeTime >= data.contact.edge_time - 1e-9;
    for (const c of contactMaterials) {
      c.material.color.copy(c.colour);
      if (inContact) c.material.color.setHex(kContact);
      else c.material.color.lerp(new THREE.Color(kContact), 0.35);
      c.material.emissive.setHex(inContact ? 0x5a0a0a : 0x000000);
      if (c.material.transparent) {
        const opacity = parseFloat($('opacity').value);
        c.material.opacity = inContact ? Math.max(opacity, 0.6) : opacity;
      }
    }
    if (marker) marker.visible = Boolean(inContact) || !playing;
    if (numEdges > 0) {
      $('edge').textContent = nameOf(e) + ', t = ' + (edgeTime - e).toFixed(3);
      const edge = data.edges[e];
      $('verdict').textContent = edge.label || kMeaning[edge.verdict];
      $('verdict').style.color = kColours[edge.verdict];  // the text tells of the whole edge
      status.verdict = verdictAt(e, edgeTime - e);
    } else {
      $('edge').textContent = 'a single state';
      $('verdict').textContent = '';
    }
    $('clock').textContent = now.toFixed(2) + ' of ' + duration.toFixed(2) + ' s';
    bar.setAttribute('aria-valuenow', now.toFixed(3));
    bar.setAttribute('aria-valuemax', duration.toFixed(3));
    drawBar();
    if (renderer) renderer.render(scene, camera);
  }

  // How many colours the picture has: a blank one has one. Read right after drawing.
  function countColours() {
    const gl = renderer.getContext(), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
    const pixels = new Uint8Array(4 * w * h), seen = new Set();
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    for (let i = 0; i < pixels.length; i += 4) {
      seen.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
    }
    return seen.size;
  }

  let last = null;
  function tick(stamp) {
    if (playing && last !== null) {
      now += Math.min((stamp - last) / 1000, 0.25) * parseFloat($('speed').value);
      if (now >= duration) {
        if ($('loop').checked) now %= duration;
        else { now = duration; play(false); }
      }
      dirty = true;
    }
    last = stamp;
    if (dirty) {
      dirty = false;
      draw();
    }
    requestAnimationFrame(tick);
  }

  if (renderer) {
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFSoftShadowMap;
  }
  resize();
  look('fit');
  if (wish.azimuth !== undefined) orbit.azimuth = wish.azimuth * Math.PI / 180;
  if (wish.elevation !== undefined) orbit.elevation = wish.elevation * Math.PI / 180;
  if (wish.zoom > 0) orbit.distance /= wish.zoom;
  placeCamera();
  if (wish.panels === 0) document.querySelectorAll('.panel').forEach((p) => { p.hidden = true; });
  if (wish.opacity > 0) $('opacity').value = wish.opacity;
  if (wish.ghosts === 1) $('ghosts_on').checked = true;
  applyOptions();
  if (wish.edge !== undefined) seek(secondsOfEdgeTime(wish.edge));
  else if (wish.seconds !== undefined) seek(wish.seconds);
  else if (data.contact) seek(data.contact.seconds);
  else play(wish.play !== 0);
  draw();
  if (renderer) status.colours = countColours();
  status.edge = $('edge').textContent;
  status.tip = links[data.trace_link].position.toArray();
  status.tip_turn = links[data.trace_link].quaternion.toArray();
  report();
  requestAnimationFrame(tick);
})();
