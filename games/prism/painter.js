// Draws coloured triangles and text with WebGL. Letters come from one texture that is painted at start.
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789,.';
const CELL = 64;
// A margin keeps the neighbours' edges out of a letter.
const IN = 3 / CELL, OUT = 1 - IN;

export class Painter {
  constructor(canvas, vertex, fragment) {
    const gl = canvas.getContext('webgl', { alpha: false });
    if (!gl) throw new Error('WebGL is not available');
    this.gl = gl; this.data = [];
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const s = gl.createShader(type);
      gl.shaderSource(s, text.trim()); gl.compileShader(s); gl.attachShader(program, s);
      if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
    }
    gl.linkProgram(program); gl.useProgram(program);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    [['at', 2, 0], ['uv', 2, 8], ['tint', 4, 16]].forEach(([name, n, offset]) => { const i = gl.getAttribLocation(program, name); gl.enableVertexAttribArray(i); gl.vertexAttribPointer(i, n, gl.FLOAT, false, 32, offset); });
    gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.letters();
  }
  letters() {
    const page = document.createElement('canvas'); page.width = page.height = CELL * 8;
    const g = page.getContext('2d'); g.font = 'bold 46px "Trebuchet MS", "DejaVu Sans", sans-serif'; g.textBaseline = 'middle'; g.fillStyle = '#fff';
    this.width = {};
    [...LETTERS].forEach((ch, i) => { this.width[ch] = g.measureText(ch).width; g.fillText(ch, (i % 8) * CELL + 6, Math.floor(i / 8) * CELL + CELL / 2); });
    const gl = this.gl; gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, page);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  }
  point(x, y, u, v, k) { this.data.push(x, y, u, v, k[0], k[1], k[2], k[3]); }
  tri(a, b, c, d, e, f, k) { this.point(a, b, -1, 0, k); this.point(c, d, -1, 0, k); this.point(e, f, -1, 0, k); }
  rect(x, y, w, h, k) { this.tri(x, y, x + w, y, x + w, y + h, k); this.tri(x, y, x + w, y + h, x, y + h, k); }
  text(s, x, y, size, k, align = 0) {
    const q = size / 46, wide = [...s].reduce((n, ch) => n + (this.width[ch] ?? 20) * q, 0);
    let at = x - wide * align;
    for (const ch of s) {
      const i = LETTERS.indexOf(ch);
      if (i >= 0) {
        const u = (i % 8) / 8, v = Math.floor(i / 8) / 8, e = 1 / 8, side = CELL * q, X = at - 6 * q, Y = y - (side - size) / 2;
        for (const [a, b] of [[IN, IN], [OUT, IN], [OUT, OUT], [IN, IN], [OUT, OUT], [IN, OUT]]) this.point(X + a * side, Y + b * side, u + a * e, v + b * e, k);
      }
      at += (this.width[ch] ?? 20) * q;
    }
  }
  begin(r, g, b) { this.gl.clearColor(r, g, b, 1); this.gl.clear(this.gl.COLOR_BUFFER_BIT); this.data.length = 0; }
  end() { this.gl.bufferData(this.gl.ARRAY_BUFFER, new Float32Array(this.data), this.gl.STREAM_DRAW); this.gl.drawArrays(this.gl.TRIANGLES, 0, this.data.length / 8); }
}
