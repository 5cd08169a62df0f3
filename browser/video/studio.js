// The page in which a film is made: frames are drawn onto a canvas, with the
// inputs over them and a line below, and encoded.
'use strict';
const barHeight = 28;
let canvas, pen, small, smallPen, encoder, chunks = [], failure = '', source = null, width, height;

const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const text = (data) => {
	let s = '';
	for (let i = 0; i < data.length; i += 0x8000) s += String.fromCharCode.apply(null, data.subarray(i, i + 0x8000));
	return btoa(s);
};

// begin prepares the studio for frames like this one and says which codec there is,
// '' if none.
async function begin({jpeg, thumb, bitrate, rate}) {
	const first = await createImageBitmap(new Blob([bytes(jpeg)]));
	width = first.width & ~1;
	height = first.height & ~1;
	canvas = new OffscreenCanvas(width, height + barHeight);
	pen = canvas.getContext('2d', {alpha: false, willReadFrequently: true});
	small = new OffscreenCanvas(thumb, Math.max(1, Math.round(thumb * canvas.height / canvas.width)));
	smallPen = small.getContext('2d', {alpha: false, willReadFrequently: true});
	smallPen.imageSmoothingQuality = 'high';
	const size = {width: canvas.width, height: canvas.height, codec: '', seconds: 0};
	if (typeof VideoEncoder === 'undefined') return size;
	for (const codec of ['vp8', 'vp09.00.10.08']) {
		const config = {codec, width: canvas.width, height: canvas.height, bitrate, framerate: rate, latencyMode: 'quality'};
		if (!(await VideoEncoder.isConfigSupported(config)).supported) continue;
		encoder = new VideoEncoder({
			output: (chunk) => {
				const data = new Uint8Array(chunk.byteLength);
				chunk.copyTo(data);
				chunks.push({at: Math.round(chunk.timestamp / 1000), key: chunk.type === 'key', data: text(data)});
			},
			error: (e) => { failure = String(e); },
		});
		encoder.configure(config);
		size.codec = codec.slice(0, 3) === 'vp0' ? 'vp9' : 'vp8';
		break;
	}
	return size;
}

function draw(over) {
	pen.fillStyle = '#000';
	pen.fillRect(0, 0, width, height);
	if (source) {
		const scale = Math.min(width / source.width, height / source.height);
		const w = source.width * scale, h = source.height * scale, x = (width - w) / 2, y = (height - h) / 2;
		pen.drawImage(source, x, y, w, h);
		if (over.pointer) point(x + over.x * w, y + over.y * h, over.down);
	}
	pen.fillStyle = '#16181d';
	pen.fillRect(0, height, width, barHeight);
	pen.font = '600 14px system-ui, "DejaVu Sans", sans-serif';
	pen.textBaseline = 'middle';
	const middle = height + barHeight / 2 + 1;
	pen.fillStyle = '#9aa3b2';
	pen.textAlign = 'right';
	pen.fillText(Math.floor(over.clock / 60) + ':' + String(over.clock % 60).padStart(2, '0'), width - 10, middle);
	pen.textAlign = 'left';
	let at = 8;
	for (const key of over.keys ? over.keys.split(' ') : []) {
		const w = pen.measureText(key).width + 16;
		pen.fillStyle = '#f4f5f7';
		pen.beginPath();
		pen.roundRect(at, height + 4, w, barHeight - 8, 4);
		pen.fill();
		pen.fillStyle = '#16181d';
		pen.fillText(key, at + 8, middle);
		at += w + 6;
	}
}

function point(x, y, down) {
	pen.beginPath();
	pen.arc(x, y, down ? 15 : 9, 0, 2 * Math.PI);
	pen.fillStyle = down ? 'rgba(255, 90, 31, .45)' : 'rgba(255, 255, 255, .25)';
	pen.fill();
	pen.lineWidth = 4;
	pen.strokeStyle = 'rgba(255, 255, 255, .8)';
	pen.stroke();
	pen.lineWidth = 2;
	pen.strokeStyle = '#ff5a1f';
	pen.stroke();
}

// add draws and encodes shots, and returns what is encoded so far and the thumbnails
// that were asked for, as PNG.
async function add(shots) {
	const thumbs = [];
	for (const s of shots) {
		if (s.jpeg) {
			try {
				const next = await createImageBitmap(new Blob([bytes(s.jpeg)]));
				source?.close();
				source = next;
			} catch { /* a damaged frame: the one before stays */ }
		}
		draw(s.over);
		if (encoder) {
			const frame = new VideoFrame(canvas, {timestamp: s.at * 1000});
			encoder.encode(frame, {keyFrame: s.key});
			frame.close();
			while (encoder.encodeQueueSize > 4 && !failure) await new Promise((r) => encoder.addEventListener('dequeue', r, {once: true}));
		}
		if (s.thumb) {
			smallPen.drawImage(canvas, 0, 0, small.width, small.height);
			thumbs.push(text(new Uint8Array(await (await small.convertToBlob({type: 'image/png'})).arrayBuffer())));
		}
	}
	return take(thumbs);
}

async function end() {
	if (encoder && !failure) await encoder.flush();
	return take([]);
}

function take(thumbs) {
	if (failure) throw new Error(failure);
	const done = chunks;
	chunks = [];
	return {chunks: done, thumbs};
}
