import { h, replace, badge, thumb, title } from "./dom.js";
import { get } from "./api.js";
import { metric } from "./charts.js";

export async function show(place, path, query) {
	const c = await get(`/api/compare?a=${encodeURIComponent(query.get("a") ?? "")}&b=${encodeURIComponent(query.get("b") ?? "")}`);
	const side = (r, name) => h("a", { class: "tile", href: `/runs/${r.id}` }, thumb(r), h("span", { class: "text" }, h("span", { class: "row between" }, h("b", {}, name), badge(r)), h("span", {}, r.summary ?? ""), h("span", { class: "muted tiny" }, new Date(r.created).toLocaleString())));
	const words = { true: "proven", false: "disproven", responsive: "answers", unresponsive: "no answer", "": "none" };
	const table = (heading, rows) => h("section", { class: "card stack" }, h("h2", {}, heading), rows.length ? h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["", "A", "B"].map((t, i) => h(i ? "th" : "td", {}, t)))),
		h("tbody", {}, rows.map(r => h("tr", { class: r.changed ? "changed" : "" }, h("td", {}, r.name), h("td", {}, words[r.a] ?? r.a), h("td", {}, words[r.b] ?? r.b)))))) : h("p", { class: "muted small" }, "None"));
	const list = (heading, issues) => h("section", { class: "card stack" }, h("h2", {}, heading), issues.length ? h("ul", { class: "issues" }, issues.map(i => h("li", {}, h("div", {}, h("span", { class: "badge " + (i.severity === "minor" ? "warn" : "fail") }, i.severity)), h("p", {}, i.description)))) : h("p", { class: "muted small" }, "None"));
	const bar = (v, cls) => h("span", { class: "track " + cls }, h("div", { class: "fill", style: { width: `${v ?? 0}%` } }));
	const names = { gameLoaded: "Loads", controlsResponsive: "Answers to its controls", gameStable: "Stays alive" };
	replace(place, h("div", { class: "stack wide" }, h("h1", {}, c.a.url === c.b.url ? `Two runs of ${title(c.a.url)}` : "Two runs"),
		h("div", { class: "pair" }, side(c.a, "A"), side(c.b, "B")),
		h("section", { class: "card stack" }, h("h2", {}, "Metrics"), h("p", { class: "small muted" }, "The grey bar is A, the coloured one B."), h("ul", { class: "bars two" }, c.metrics.map(m => h("li", {}, h("span", {}, metric(m.name)), h("div", { class: "stack tight" }, bar(m.a, "b"), bar(m.b, "")), h("span", { class: "num small" }, `${m.a ?? "–"} → ${m.b ?? "–"}`))))),
		table("Checks", c.checks.map(r => ({ ...r, name: names[r.name] ?? r.name }))), table("Controls", c.controls.map(r => ({ ...r, name: r.name.replace(/^\w+:/, "") }))),
		list("Issues that only B has", c.issuesAdded), list("Issues that only A had", c.issuesGone)));
}
