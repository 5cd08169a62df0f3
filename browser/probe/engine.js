// Recognises game engines that offer themselves on the global object, and asks
// them, read-only, for their scene and the objects a pointer can hit.
(() => {
  'use strict';
  const G = globalThis;
  const texts = [];
  const out = { __proto__: null, name: '', version: '', scene: '', objects: [], texts };
  const text = (s) => ('' + (s ?? '')).replace(/\s+/g, ' ').trim().slice(0, 80);
  const quietly = (f) => { try { return f(); } catch { return undefined; } };
  const isCanvas = (c) => c && c.getBoundingClientRect && c.width;

  // Globals made with var or by assignment; engines' instances often live there.
  const globals = () => {
    const list = [];
    for (const k of Object.keys(G)) {
      const d = quietly(() => Object.getOwnPropertyDescriptor(G, k));
      if (d && d.value && typeof d.value === 'object') list.push(d.value);
      if (list.length > 800) break;
    }
    return list;
  };
  const place = (canvas, b, scaleX, scaleY) => {
    if (!isCanvas(canvas) || !b) return null;
    const r = canvas.getBoundingClientRect();
    const kx = r.width / scaleX, ky = r.height / scaleY;
    const o = { x: r.x + b.x * kx, y: r.y + b.y * ky, w: b.width * kx, h: b.height * ky };
    return o.w > 2 && o.h > 2 && Number.isFinite(o.x + o.y + o.w + o.h) ? o : null;
  };
  const push = (canvas, b, label, kind, scaleX, scaleY, drag) => {
    const o = out.objects.length < 60 && place(canvas, b, scaleX, scaleY);
    if (o) out.objects.push({ text: text(label), kind: text(kind), ...o, drag: !!drag });
  };
  // Many buttons are a picture that can be hit with a text over it that cannot.
  const write = (canvas, b, label, scaleX, scaleY) => {
    const o = texts.length < 60 && text(label) && place(canvas, b, scaleX, scaleY);
    if (o) texts.push({ text: text(label), ...o });
  };
  const caption = (o) => {
    const within = texts.filter((t) => Math.abs(t.x + t.w / 2 - o.x - o.w / 2) < o.w / 4 && Math.abs(t.y + t.h / 2 - o.y - o.h / 2) < o.h / 4 && t.w < 1.2 * o.w && t.h < 1.2 * o.h);
    return within.length === 1 ? within[0].text : '';
  };

  const textIn = (node, depth) => {
    if (!node || depth > 3) return '';
    if (typeof node.text === 'string' && node.text) return node.text;
    for (const c of node.list || node.children || []) { const t = quietly(() => textIn(c, depth + 1)); if (t) return t; }
    return '';
  };

  // A game that a module keeps to itself is known to the owners of the engine's canvases.
  const pooled = () => {
    for (const { parent } of G.Phaser.Display.Canvas.CanvasPool.pool) {
      const game = quietly(() => parent.game || parent.scene.sys.game);
      if (game instanceof G.Phaser.Game) return game;
    }
    return null;
  };

  const phaser = () => {
    if (!G.Phaser) return false;
    out.name = 'Phaser'; out.version = text(G.Phaser.VERSION);
    const game = globals().find((g) => g instanceof G.Phaser.Game) || (G.Phaser.GAMES && G.Phaser.GAMES.find(Boolean)) || quietly(pooled);
    if (!game) return true;
    // Of a sheet with many pictures the one that is shown says more than the sheet.
    const frame = (o) => quietly(() => (typeof o.frame.name === 'string' && /[a-z]{3}/i.test(o.frame.name) && o.frame.name !== '__BASE' ? o.frame.name : ''));
    const label = (o) => o.text || textIn(o, 0) || o.name || frame(o) || quietly(() => o.texture.key) || (typeof o.key === 'string' ? o.key : '');
    // The first versions 3 had neither a way to ask for the scenes nor a scale.
    const scenes = quietly(() => game.scene.getScenes(true)) || quietly(() => game.scene.scenes.filter((s) => s.sys.settings.active)) || [];
    const size = { width: quietly(() => game.scale.width) || quietly(() => game.config.width), height: quietly(() => game.scale.height) || quietly(() => game.config.height) };
    out.scene = scenes.map((s) => quietly(() => s.sys.settings.key)).filter(Boolean).join(', ') || text(quietly(() => game.state.current));
    for (const s of scenes) {
      const main = quietly(() => s.cameras.main) || { scrollX: 0, scrollY: 0 };
      const cameras = [main, ...(quietly(() => s.cameras.cameras.filter((c) => c !== main && c.visible)) || [])];
      const through = (c, o, b) => ({ x: b.x - c.scrollX * (o.scrollFactorX ?? 1) + (c.x || 0), y: b.y - c.scrollY * (o.scrollFactorY ?? 1) + (c.y || 0), width: b.width, height: b.height });
      const inside = (p) => { const x = p.x + p.width / 2, y = p.y + p.height / 2; return x >= 0 && y >= 0 && x <= size.width && y <= size.height; };
      const seen = (o) => {
        const b = o.visible === false || o.alpha === 0 ? null : quietly(() => o.getBounds());
        if (!b) return null;
        const places = cameras.map((c) => through(c, o, b));
        return places.find(inside) || places[0];
      };
      for (const o of quietly(() => s.input._list) || []) push(game.canvas, seen(o), label(o), o.type, size.width, size.height, quietly(() => o.input.draggable));
      const tell = (list, depth) => {
        for (const o of list || []) {
          if (typeof o.text === 'string') write(game.canvas, seen(o), o.text, size.width, size.height);
          else if (depth < 4 && o.visible !== false && o.alpha !== 0) tell(o.list, depth + 1);
        }
      };
      quietly(() => tell(s.children.list, 0));
    }
    // Version 2 has one world, and a handler on each object that can be hit.
    const walk = (node, depth) => {
      if (!node || depth > 12 || node.visible === false || node.exists === false) return;
      if (quietly(() => node.input.enabled)) {
        push(game.canvas, quietly(() => node.getBounds()), label(node), node.constructor && node.constructor.name, game.width, game.height, quietly(() => node.input.draggable));
      } else if (typeof node.text === 'string') {
        write(game.canvas, quietly(() => node.getBounds()), node.text, game.width, game.height);
      }
      for (const c of node.children || []) walk(c, depth + 1);
    };
    if (!scenes.length) quietly(() => walk(game.world, 0));
    return true;
  };

  const pixi = () => {
    const app = G.__PIXI_APP__ || globals().find((g) => g && g.stage && g.renderer && (g.view || g.canvas));
    if (!G.PIXI && !G.__PIXI_APP__) return false;
    out.name = 'PixiJS'; out.version = text(G.PIXI && G.PIXI.VERSION);
    if (!app || !app.stage) return true;
    const canvas = quietly(() => app.canvas) || quietly(() => app.view);
    const screen = app.screen || app.renderer.screen || { width: app.renderer.width, height: app.renderer.height };
    const walk = (node, depth) => {
      if (!node || depth > 12 || out.objects.length >= 60 || node.visible === false) return;
      if (node.interactive || node.buttonMode || /static|dynamic/.test(node.eventMode || '')) {
        const b = quietly(() => node.getBounds());
        if (b) push(canvas, b.rectangle || b, node.text || textIn(node, 0) || node.label || node.name, node.constructor && node.constructor.name, screen.width, screen.height);
      } else if (typeof node.text === 'string') {
        const b = quietly(() => node.getBounds());
        write(canvas, b && (b.rectangle || b), node.text, screen.width, screen.height);
      }
      for (const c of node.children || []) walk(c, depth + 1);
    };
    walk(app.stage, 0);
    return true;
  };

  // CreateJS gives each thing its own listeners, and knows no size of what is drawn by hand.
  const createjs = () => {
    const C = G.createjs;
    if (!C || !C.Stage) return false;
    out.name = 'CreateJS'; out.version = text(quietly(() => C.EaselJS.version));
    const ticked = quietly(() => Object.values(C.Ticker._listeners).flat()) || [];
    const stages = new Set([...globals(), ...ticked].filter((g) => g instanceof C.Stage));
    const hears = (node, ...kinds) => kinds.some((k) => quietly(() => node.hasEventListener(k)));
    const shape = ({ x, y, w, h, radius }) => (radius && w === undefined ? { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius } : w && { x, y, width: w, height: h });
    const drawn = (node) => node.graphics.instructions.map(shape).find((b) => b && Number.isFinite(b.width));
    const size = (node) => quietly(() => node.getBounds()) || quietly(() => drawn(node)) || quietly(() => drawn(node.hitArea));
    const file = (node) => quietly(() => node.image.src.split('/').pop().replace(/\.\w+$/, ''));
    const walk = (node, canvas, depth) => {
      if (!node || depth > 12 || node.visible === false || node.alpha === 0) return;
      if (depth > 0 && hears(node, 'click', 'mousedown', 'pressmove', 'pressup', 'dblclick')) {
        const b = size(node);
        const ends = b && [[b.x, b.y], [b.x + b.width, b.y], [b.x, b.y + b.height], [b.x + b.width, b.y + b.height]].map(([x, y]) => node.localToGlobal(x, y));
        if (ends) {
          const x = Math.min(...ends.map((p) => p.x)), y = Math.min(...ends.map((p) => p.y));
          push(canvas, { x, y, width: Math.max(...ends.map((p) => p.x)) - x, height: Math.max(...ends.map((p) => p.y)) - y },
            node.text || textIn(node, 0) || node.name || file(node), node.constructor && node.constructor.name, canvas.width, canvas.height, hears(node, 'pressmove'));
        }
      }
      for (const c of node.children || []) walk(c, canvas, depth + 1);
    };
    for (const s of stages) quietly(() => walk(s, s.canvas, 0));
    return true;
  };

  // Construct's events name the things that a touch or a click is meant for.
  const construct = () => {
    const shell = G.c3_runtimeInterface, runtime = shell && shell._localRuntime;
    if (!runtime) return false;
    out.name = 'Construct'; out.version = '3';
    const layout = runtime.GetMainRunningLayout(), canvas = quietly(() => shell.GetMainCanvas()) || document.querySelector('canvas');
    if (!layout || !isCanvas(canvas)) return true;
    out.scene = text(layout.GetName());
    const C3 = G.C3, kinds = (group, names) => names.map((n) => C3[group][n]).filter(Boolean);
    const pointers = kinds('Plugins', ['Touch', 'Mouse']), drags = quietly(() => kinds('Behaviors', ['DragnDrop'])) || [];
    const meant = new Set();
    for (const c of runtime.GetEventSheetManager()._cndsBySid.values()) {
      if (!c._objectClass || !pointers.some((p) => c._objectClass.GetPlugin() instanceof p)) continue;
      for (const { _objectClass: thing } of c._parameters) {
        for (const t of !thing ? [] : thing.IsFamily() ? thing.GetFamilyMembers() : [thing]) meant.add(t);
      }
    }
    const dragged = (thing) => quietly(() => thing.GetBehaviorTypes().some((b) => drags.some((d) => b.GetBehavior() instanceof d)));
    const box = canvas.getBoundingClientRect();
    for (const layer of [...layout.GetLayers()].reverse()) {
      if (!layer.IsVisible()) continue;
      for (const instance of layer._GetInstances()) {
        const thing = instance.GetObjectClass(), place = instance.GetWorldInfo(), drag = dragged(thing);
        if (!place || !place.IsVisible() || !meant.has(thing) && !drag) continue;
        const b = place.GetBoundingBox(), [x, y] = layer.LayerToCanvasCss(b.getLeft(), b.getTop()), [right, bottom] = layer.LayerToCanvasCss(b.getRight(), b.getBottom());
        if ((x + right) / 2 < 0 || (y + bottom) / 2 < 0 || (x + right) / 2 > box.width || (y + bottom) / 2 > box.height) continue;
        push(canvas, { x, y, width: right - x, height: bottom - y }, quietly(() => instance.GetSdkInstance()._text) || thing.GetName(), 'thing', box.width, box.height, drag);
      }
    }
    return true;
  };

  const plain = [
    ['Construct', () => G.c3_runtimeInterface || G.C3 || G.cr_getC2Runtime || G.cr_createRuntime || document.getElementById('c2canvas'), () => (G.C3 || G.c3_runtimeInterface ? '3' : '2')],
    ['Unity', () => G.unityInstance || G.createUnityInstance || G.UnityLoader || G.unityFramework || document.querySelector('#unity-canvas,#unityContainer'), () => ''],
    ['Godot', () => G.GODOT_CONFIG || G.Godot || (typeof G.Engine === 'function' && G.Engine.isWebGLAvailable), () => ''],
    ['melonJS', () => G.me && (G.me.game || G.me.video), () => G.me.version],
    ['KAPLAY', () => G.kaplay || G.kaboom, () => quietly(() => G.kaplay.VERSION)],
    ['LittleJS', () => G.LittleJS || G.engineName === 'LittleJS', () => G.engineVersion],
    ['RPG Maker', () => G.Utils && G.Utils.RPGMAKER_NAME, () => G.Utils.RPGMAKER_NAME + ' ' + (G.Utils.RPGMAKER_VERSION || ''), () => G.SceneManager && G.SceneManager._scene && G.SceneManager._scene.constructor.name],
    ['PICO-8', () => G.pico8_state || G.pico8_buttons || G.p8_run_cart || G.p8_touch_detected !== undefined, () => ''],
    ['Babylon.js', () => G.BABYLON && G.BABYLON.Engine, () => G.BABYLON.Engine.Version],
    ['PlayCanvas', () => G.pc && G.pc.Application, () => G.pc.version],
    ['Cocos', () => G.cc && (G.cc.ENGINE_VERSION || G.cc.director), () => G.cc.ENGINE_VERSION],
    ['GDevelop', () => G.gdjs && G.gdjs.RuntimeGame, () => ''],
    ['Impact', () => G.ig && G.ig.Game, () => G.ig.version],
    ['Crafty', () => G.Crafty && G.Crafty.e, () => quietly(() => G.Crafty.getVersion())],
    ['p5.js', () => G.p5 && (G.p5.prototype || G.p5.instance), () => quietly(() => G.p5.VERSION || G.p5.prototype.VERSION)],
    ['Kontra', () => G.kontra, () => ''],
    ['three.js', () => G.THREE || G.__THREE__, () => (G.THREE && G.THREE.REVISION) || G.__THREE__],
  ];
  if (!quietly(phaser) && !quietly(pixi) && !quietly(construct) && !quietly(createjs)) {
    for (const [name, there, version, scene] of plain) {
      if (!quietly(there)) continue;
      out.name = name;
      out.version = text(quietly(version));
      if (scene) out.scene = text(quietly(scene));
      break;
    }
  }
  quietly(() => out.objects.forEach((o) => { o.text = caption(o) || o.text; }));
  return out;
})()
