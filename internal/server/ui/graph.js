// The screens of a game as a small graph: each in the column of how many inputs lead there.

import { h, s, plural } from "./dom.js";

const box = { w: 160, h: 90, text: 38 }, gap = { x: 112, y: 24 };
// Beyond these a drawing says less than the list below it.
const most = 24;

export function graph({ screens, moves }, file) {
	const shown = screens.slice(0, most), ids = new Set(shown.map(k => k.id));
	const drawn = moves.filter(m => ids.has(m.from) && ids.has(m.to));
	const place = arrange(shown, drawn);
	const width = 2 + Math.max(...[...place.values()].map(p => p.x)) + box.w, height = 2 + Math.max(...[...place.values()].map(p => p.y)) + box.h + box.text;
	const pairs = new Map();
	for (const m of drawn) {
		const key = `${m.from} ${m.to}`;
		pairs.set(key, { ...m, count: (pairs.get(key)?.count ?? 0) + 1 });
	}
	const list = h("ul", { class: "stack tight small" }, moves.map(m => h("li", {}, `Screen ${m.from + 1} to ${m.to + 1}: `, h("span", { class: "muted" }, m.input))));
	return h("div", { class: "stack tight" },
		h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Drawing of the screens" },
			s("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, style: { "max-width": `${width}px`, "min-width": `${Math.min(width, 480)}px` }, role: "img", "aria-label": `${plural(screens.length, "screen")}, ${plural(moves.length, "way")} between them` },
				[...pairs.values()].map(m => edge(place.get(m.from), place.get(m.to), m)), shown.map(k => node(k, place.get(k.id), file)))),
		moves.length ? h("details", {}, h("summary", {}, "How one leads to another"), list) : h("p", { class: "small muted" }, "No input led to another screen."));
}

// arrange gives every screen a column, by the fewest inputs that lead to it, and a row.
function arrange(screens, moves) {
	const depth = new Map(), rows = [], place = new Map();
	for (const k of screens) {
		if (depth.has(k.id)) continue;
		depth.set(k.id, 0);
		for (const queue = [k.id]; queue.length;) {
			const id = queue.shift();
			for (const m of moves) if (m.from === id && !depth.has(m.to)) { depth.set(m.to, depth.get(id) + 1); queue.push(m.to); }
		}
	}
	for (const k of screens) {
		const column = depth.get(k.id), row = rows[column] = (rows[column] ?? -1) + 1;
		place.set(k.id, { x: 1 + column * (box.w + gap.x), y: 1 + row * (box.h + box.text + gap.y) });
	}
	return place;
}

function node(k, at, file) {
	const said = [k.answers ? `${plural(k.answers, "answer")}` : "", k.tried ? `${k.tried} of ${k.offers} tried` : ""].filter(Boolean).join(", ");
	const picture = file && /^screenshots\/[\w.-]+$/.test(k.picture ?? "") ? s("image", { href: file(k.picture), x: at.x, y: at.y, width: box.w, height: box.h, preserveAspectRatio: "xMidYMid slice" }) : s("text", { x: at.x + box.w / 2, y: at.y + box.h / 2 + 4, "text-anchor": "middle", class: "quiet" }, k.id + 1);
	return s("g", {}, s("rect", { x: at.x, y: at.y, width: box.w, height: box.h }), picture, s("rect", { class: "edge", x: at.x, y: at.y, width: box.w, height: box.h }),
		s("text", { x: at.x, y: at.y + box.h + 16 }, `Screen ${k.id + 1}`), s("text", { x: at.x, y: at.y + box.h + 32, class: "quiet" }, said));
}

function edge(a, b, m) {
	const words = m.count > 1 ? plural(m.count, "way") : short(m.input);
	const mid = box.h / 2;
	if (b.x > a.x) {
		const x1 = a.x + box.w, y1 = a.y + mid, x2 = b.x - 8, y2 = b.y + mid, bend = (x2 - x1) / 2;
		return s("g", {}, s("path", { d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` }), tip(x2, y2, 1),
			s("text", { x: b.x - gap.x / 2, y: y2 - 8, "text-anchor": "middle", class: "quiet" }, words, s("title", {}, m.input)));
	}
	// Back, or down the same column: around below.
	const x1 = a.x + box.w / 2, y1 = a.y + box.h, x2 = b.x + box.w / 2, y2 = b.y + box.h;
	const low = Math.max(y1, y2) + box.text + 8;
	return s("g", {}, s("path", { d: `M${x1 + 8} ${y1}C${x1 + 8} ${low} ${x2 - 8} ${low} ${x2 - 8} ${y2 + 6}`, "stroke-dasharray": "4 4" }), s("path", { class: "tip", d: `M${x2 - 8} ${y2}l-4 8h8z` }, s("title", {}, m.input)));
}

const tip = (x, y, way) => s("path", { class: "tip", d: `M${x + 8 * way} ${y}l${-8 * way} -4v8z` });

// short is an input in a few letters: its label, or its key.
function short(input) {
	const label = input.match(/"([^"]+)"/)?.[1] ?? input.replace(/ (at|from) .*$/, "");
	return label.length > 15 ? label.slice(0, 14) + "…" : label;
}
