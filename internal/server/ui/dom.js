// Everything that is shown goes through here as text: what games, their authors and their pages say is never markup.

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, props, ...children) { return fill(document.createElement(tag), props, children); }
export function s(tag, props, ...children) { return fill(document.createElementNS(SVG, tag), props, children); }

function fill(el, props, children) {
	for (const [name, value] of Object.entries(props ?? {})) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
		else if (name === "style") for (const [k, v] of Object.entries(value)) el.style.setProperty(k, v);
		else if (name === "href" || name === "src") { if (safe(value)) el.setAttribute(name, value); }
		else el.setAttribute(name, value === true ? "" : String(value));
	}
	el.append(...flat(children));
	return el;
}

function flat(children) { return children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== false).map(c => c instanceof Node ? c : String(c)); }

// safe lets through addresses of ours and of the web: a game's address may be anything.
function safe(address) { return /^(\/(?!\/)|https?:\/\/|data:image\/|#)/i.test(address); }

export function replace(el, ...children) { el.replaceChildren(...flat(children)); return el; }

export function plural(n, one, many) { return `${n} ${n === 1 ? one : many ?? one + "s"}`; }

export function ago(time) {
	if (!time) return "";
	const seconds = (Date.now() - new Date(time)) / 1000;
	for (const [size, unit] of [[86400, "day"], [3600, "hour"], [60, "minute"]])
		if (seconds >= size) return plural(Math.floor(seconds / size), unit) + " ago";
	return "just now";
}

export function took(from, to) {
	if (!from) return "";
	return lasts((new Date(to ?? Date.now()) - new Date(from)) / 1000);
}

export function lasts(seconds) {
	if (seconds < 60) return `${Math.max(0, seconds).toFixed(seconds < 10 ? 1 : 0)} s`;
	return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

export function clock(time) { return new Date(time).toLocaleTimeString([], { hour12: false }); }

// title is a short name for a game's address.
export function title(address) {
	try {
		const u = new URL(address);
		const path = u.pathname.replace(/\/(index\.html?)?$/, "").replace(/^\//, "");
		const fault = path.match(/^~fault\/([^/]+)\/(.+)$/);
		if (fault) return `${fault[2]} (${fault[1]})`;
		return path ? `${path}` : u.host;
	} catch { return address; }
}

const words = {
	pass: ["pass", "Works"], fail: ["fail", "Broken"], error: ["warn", "Not judged"],
	queued: ["", "Waiting"], running: ["busy", "Playing"], failed: ["warn", "Failed"], cancelled: ["", "Cancelled"], parked: ["warn", "Parked"], completed: ["", "Done"],
};

export function badge(run) {
	const [kind, word] = words[run.verdict && run.status !== "running" && run.status !== "queued" ? run.verdict : run.status] ?? ["", run.status];
	return h("span", { class: "badge " + kind }, run.cancelling ? "Stopping" : word);
}

// keyName is what is printed on a key.
export function keyName(code) {
	const arrows = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };
	return arrows[code] ?? code.replace(/^(Key|Digit)(?=.$)/, "");
}

// spot is where a point of a page lies on the stage, which shows the page as large as it fits into 16 by 9.
export function spot(point, width, height) {
	const wide = width / height / (16 / 9);
	return { left: `${50 + (point.x / width - .5) * Math.min(1, wide) * 100}%`, top: `${50 + (point.y / height - .5) * Math.min(1, 1 / wide) * 100}%` };
}

// art is a small drawing that belongs to a name, for games without a picture yet.
export function art(name) {
	let seed = 7;
	for (const c of name) seed = (seed * 31 + c.codePointAt(0)) >>> 0;
	const next = () => { seed = (seed * 1664525 + 1013904223) >>> 0; return seed / 2 ** 32; };
	const hue = Math.floor(next() * 360);
	const shapes = Array.from({ length: 5 }, (_, i) => {
		const fill = `hsl(${(hue + i * 24) % 360} 45% ${38 + i * 8}%)`;
		const x = next() * 160, y = next() * 100, r = 14 + next() * 34;
		return i % 2 ? s("circle", { cx: x, cy: y, r, fill, opacity: .85 }) : s("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, rx: 6, fill, opacity: .8, transform: `rotate(${Math.floor(next() * 90)} ${x} ${y})` });
	});
	return s("svg", { class: "art", viewBox: "0 0 160 100", preserveAspectRatio: "xMidYMid slice", "aria-hidden": true }, s("rect", { width: 160, height: 100, fill: `hsl(${hue} 35% 24%)` }), shapes);
}

// thumb is the picture of a run; its place is kept while there is none.
export function thumb(run) {
	const box = h("div", { class: "thumb" }, art(run.url));
	if (run.evidence || run.status === "running") {
		const img = h("img", { alt: "", width: 480, height: 300, src: `/api/runs/${run.id}/picture` });
		img.addEventListener("load", () => replace(box, img), { once: true });
	}
	return box;
}
