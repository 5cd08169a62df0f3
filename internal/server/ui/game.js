import { h, replace, ago, badge, title } from "./dom.js";
import { get, post } from "./api.js";
import { trend } from "./charts.js";
import { go } from "./app.js";

export async function show(place, path, query) {
	const url = query.get("url") ?? "";
	const history = await get(`/api/games/history?url=${encodeURIComponent(url)}`);
	const newest = history.points.toReversed();
	const judged = newest.filter(p => p.verdict);
	replace(place, h("div", { class: "stack wide" },
		h("div", { class: "stack tight" }, h("h1", {}, title(url)), h("p", { class: "small line" }, h("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, url)),
			h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: async () => { const { id } = await post("/api/runs", { url }); go(`/runs/${id}`); } }, "Play again"),
				judged.length > 1 ? h("a", { class: "button", href: `/compare?a=${judged[1].run}&b=${judged[0].run}` }, "Compare the last two") : null)),
		history.firstFailing ? h("div", { class: "note bad" }, "It has been broken since ", h("a", { href: `/runs/${history.firstFailing}` }, "this run"), history.lastPassing ? [". ", h("a", { href: `/compare?a=${history.lastPassing}&b=${history.firstFailing}` }, "Compare it with the last one that worked")] : null, ".") : null,
		h("section", { class: "card stack" }, h("h2", {}, "Score over time"), trend(history.points)),
		h("section", { class: "card stack" }, h("h2", {}, "Runs"), h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["Run", "Verdict", "Score", "When"].map(t => h("th", {}, t)))),
			h("tbody", {}, newest.map(p => h("tr", {}, h("td", {}, h("a", { href: `/runs/${p.run}` }, p.run)), h("td", {}, badge(p)), h("td", {}, p.overallScore === undefined ? "" : Math.round(p.overallScore)), h("td", {}, ago(p.created))))))))));
}
