/*
title: Sound does not work
kind: trap

Sounds cannot be played, decoded or resumed; every attempt is refused the way browsers refuse it. The game can be played
without.
*/
if (self.window) {
  const refused = () => Promise.reject(new DOMException('play() failed because the user did not interact with the document first.', 'NotAllowedError'));
  HTMLMediaElement.prototype.play = refused;
  if (self.BaseAudioContext) {
    AudioContext.prototype.resume = refused;
    Object.defineProperty(BaseAudioContext.prototype, 'state', { configurable: true, get: () => 'suspended' });
    BaseAudioContext.prototype.decodeAudioData = () => Promise.reject(new DOMException('Unable to decode audio data', 'EncodingError'));
  }
}
