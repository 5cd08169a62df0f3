import { h, s } from "./dom.js";

// colour of a score.
export const tone = score => score >= 70 ? "var(--pass)" : score >= 50 ? "var(--warn)" : "var(--fail)";

export function ring(score, word) {
	const r = 48, length = 2 * Math.PI * r;
	return s("svg", { class: "ring", viewBox: "0 0 112 112", role: "img", "aria-label": `${word} ${Math.round(score)} of 100` },
		s("circle", { cx: 56, cy: 56, r, fill: "none", stroke: "var(--line)", "stroke-width": 8 }),
		s("circle", { cx: 56, cy: 56, r, fill: "none", stroke: tone(score), "stroke-width": 8, "stroke-linecap": "round", "stroke-dasharray": `${length * score / 100} ${length}`, transform: "rotate(-90 56 56)" }),
		s("text", { x: 56, y: 62, "text-anchor": "middle" }, Math.round(score)),
		s("text", { x: 56, y: 78, "text-anchor": "middle", class: "unit" }, "of 100"));
}

export function spark(scores) {
	if (!scores || scores.length < 2) return h("span", { class: "spark" });
	const x = i => 2 + i * 84 / (scores.length - 1), y = v => 21 - v * 18 / 100;
	const end = scores.length - 1;
	return s("svg", { class: "spark", viewBox: "0 0 88 24", role: "img", "aria-label": `scores ${scores.map(v => Math.round(v)).join(", ")}` },
		s("polyline", { points: scores.map((v, i) => `${x(i)},${y(v)}`).join(" "), fill: "none", stroke: "var(--muted)", "stroke-width": 1.5, "stroke-linejoin": "round" }),
		s("circle", { cx: x(end), cy: y(scores[end]), r: 3, fill: tone(scores[end]) }));
}

const metricNames = { load: "Loading", visual: "Picture", controls: "Controls", playability: "Play", technical: "Technique" };
export const metric = name => metricNames[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");

export function bars(metrics) {
	return h("ul", { class: "bars" }, metrics.map(m => h("li", {},
		h("span", {}, metric(m.name)),
		h("span", { class: "track" }, h("div", { class: "fill", style: { width: `${m.score}%`, background: tone(m.score) } })),
		h("span", { class: "num" }, m.score),
		h("p", {}, m.justification))));
}

// trend is the history of a game as a line; each run can be opened.
export function trend(points) {
	const judged = points.filter(p => p.overallScore !== undefined);
	// As wide as the card that it lies in, so that its words are as large as all others.
	const w = Math.max(240, Math.min(1022, document.documentElement.clientWidth - (matchMedia("(max-width: 760px)").matches ? 66 : 98)));
	const ht = 220, left = 32, right = 16, top = 16, bottom = 28;
	const x = i => left + (judged.length < 2 ? (w - left - right) / 2 : i * (w - left - right) / (judged.length - 1));
	const y = v => top + (100 - v) * (ht - top - bottom) / 100;
	const grid = [0, 50, 100].map(v => [s("line", { x1: left, x2: w - right, y1: y(v), y2: y(v), stroke: "var(--line)" }), s("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, v)]);
	const day = p => new Date(p.created).toLocaleDateString([], { month: "short", day: "numeric" });
	return s("svg", { class: "chart", viewBox: `0 0 ${w} ${ht}`, role: "group", "aria-label": `scores over time: ${judged.map(p => Math.round(p.overallScore)).join(", ")}` }, grid,
		s("polyline", { points: judged.map((p, i) => `${x(i)},${y(p.overallScore)}`).join(" "), fill: "none", stroke: "var(--muted)", "stroke-width": 2, "stroke-linejoin": "round" }),
		judged.map((p, i) => s("a", { href: `/runs/${p.run}`, "aria-label": `run of ${day(p)}, score ${Math.round(p.overallScore)}` }, s("circle", { cx: x(i), cy: y(p.overallScore), r: 5, fill: p.verdict === "fail" ? "var(--fail)" : p.verdict === "pass" ? "var(--pass)" : "var(--warn)", stroke: "var(--surface)", "stroke-width": 2 }))),
		judged.length ? s("text", { x: left, y: ht - 8 }, day(judged[0])) : null,
		judged.length > 1 ? s("text", { x: w - right, y: ht - 8, "text-anchor": "end" }, day(judged.at(-1))) : null);
}
