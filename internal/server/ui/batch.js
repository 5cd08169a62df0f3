import { h, replace, badge, plural, thumb, title } from "./dom.js";
import { get, live } from "./api.js";

export async function show(place, path) {
	const name = path[1] ?? "";
	const runs = new Map();
	let next = "";
	do {
		const page = await get(`/api/runs?limit=200&batch=${encodeURIComponent(name)}${next ? `&cursor=${next}` : ""}`);
		for (const r of page.runs) runs.set(r.id, r);
		next = page.next;
	} while (next && runs.size < 1000);
	if (!runs.size) throw new Error("There is no batch of that name.");
	const grid = h("ul", { class: "grid" }), sums = h("p", { class: "muted" }), tiles = new Map();
	const tile = r => h("li", {}, h("a", { class: "tile", href: `/runs/${r.id}` }, thumb(r), h("span", { class: "text" }, h("span", { class: "name" }, title(r.url)), h("span", { class: "row between" }, badge(r), h("span", { class: "score small" }, r.overallScore === undefined ? "" : Math.round(r.overallScore))))));
	const count = () => {
		const all = [...runs.values()], of = f => all.filter(f).length;
		const sum = [[of(r => r.verdict === "pass"), "working"], [of(r => r.verdict === "fail"), "broken"], [of(r => r.status === "running"), "being played"], [of(r => r.status === "queued"), "waiting"]].filter(([n]) => n);
		replace(sums, plural(all.length, "run"), sum.length ? ": " : "", sum.map(([n, word]) => `${n} ${word}`).join(", "));
	};
	for (const r of [...runs.values()].reverse()) { const t = tile(r); tiles.set(r.id, t); grid.append(t); }
	count();
	replace(place, h("div", { class: "stack" }, h("h1", {}, "Batch"), h("p", { class: "mono muted" }, name), sums, grid));
	return live("/api/", m => {
		if (m.type !== "run" || !runs.has(m.run.id)) return;
		runs.set(m.run.id, m.run);
		const t = tile(m.run);
		tiles.get(m.run.id).replaceWith(t);
		tiles.set(m.run.id, t);
		count();
	});
}
