// What a page can do on this machine. Evaluated in a blank page of our own.
(async () => {
  const scratch = (w, h) => Object.assign(document.createElement("canvas"), { width: w, height: h });

  let webgl = "";
  const gl = scratch(8, 8).getContext("webgl2") || scratch(8, 8).getContext("webgl");
  if (gl) {
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    webgl = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER)) || "unnamed";
  }

  // Pixels that a text leaves, and how many of them are not grey.
  const ink = (text) => {
    const c = scratch(200, 60).getContext("2d", { willReadFrequently: true });
    c.font = "40px sans-serif";
    c.fillText(text, 5, 45);
    const { data } = c.getImageData(0, 0, 200, 60);
    let pixels = 0, coloured = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] === 0) continue;
      pixels++;
      if (data[i] !== data[i + 1] || data[i + 1] !== data[i + 2]) coloured++;
    }
    return { pixels, coloured };
  };

  return {
    webgl,
    ink: ink("playtest").pixels,
    emoji: ink("\u{1F680}").coloured > 0,
    // Letters that no font has are drawn as equal boxes.
    cjk: ink("\u4e2d").pixels !== ink("\u8a9e").pixels,
  };
})()
