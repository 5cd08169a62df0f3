// Talking to the server.

export class Problem extends Error {
	constructor(status, detail) { super(detail); this.status = status; }
}

async function call(method, path, body) {
	let answer;
	try {
		answer = await fetch(path, { method, headers: body === undefined ? {} : { "Content-Type": "application/json" }, body: body === undefined ? undefined : JSON.stringify(body) });
	} catch { throw new Problem(0, "The server cannot be reached."); }
	if (answer.status === 401) location.assign("/login");
	if (answer.status === 204) return null;
	const value = await answer.json().catch(() => ({}));
	if (!answer.ok) throw new Problem(answer.status, value.detail ?? "Something went wrong.");
	return value;
}

export const get = path => call("GET", path);
export const post = (path, body) => call("POST", path, body);
export const remove = path => call("DELETE", path);

// live tells what happens until the returned function is called: over a WebSocket, or as server-sent events where
// there is none. After a break it goes on from the last number. With pictures it also shows what is played, while
// somebody can see the page.
export function live(base, tell, state = () => {}, pictures = false) {
	let last = 0, over = false, socket, stream, tries = 0, worked = false;
	const query = () => `after=${last}` + (pictures && !document.hidden ? "&pictures=1" : "");
	const hear = text => {
		const message = JSON.parse(text);
		last = Math.max(last, message.seq ?? 0);
		worked = true; tries = 0;
		state(true);
		tell(message);
	};
	const later = () => {
		if (over) return;
		state(false);
		setTimeout(open, Math.min(500 * 2 ** tries++, 15000));
	};
	function open() {
		if (over) return;
		if (!worked && tries >= 2) return fallBack();
		socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${base}live?${query()}`);
		socket.onmessage = e => hear(e.data);
		socket.onclose = e => e.code === 4001 ? location.assign("/login") : later();
	}
	function fallBack() {
		stream = new EventSource(`${base}stream?${query()}`);
		for (const kind of ["snapshot", "event", "run", "alive", "picture"]) stream.addEventListener(kind, e => hear(e.data));
		stream.onerror = () => state(false);
	}
	function turned() {
		if (stream) { stream.close(); fallBack(); } else socket?.close();
	}
	if (pictures) document.addEventListener("visibilitychange", turned);
	open();
	return () => { over = true; document.removeEventListener("visibilitychange", turned); socket?.close(); stream?.close(); };
}
