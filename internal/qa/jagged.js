// WebGL without smooth edges, which cost a machine without a graphics card half of its time.
{
  const plain = (original) => function getContext(kind, attributes) {
    return original.call(this, kind, /webgl/.test(kind) ? { ...attributes, antialias: false } : attributes);
  };
  for (const type of [self.HTMLCanvasElement, self.OffscreenCanvas]) if (type) type.prototype.getContext = plain(type.prototype.getContext);
}
