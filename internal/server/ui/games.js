import { h, replace, ago, badge, plural, thumb, title } from "./dom.js";
import { get } from "./api.js";

export async function show(place) {
	const { games } = await get("/api/games");
	replace(place, h("div", { class: "stack" }, h("h1", {}, "Games"),
		games.length ? h("ul", { class: "grid" }, games.map(g => h("li", {}, h("a", { class: "tile", href: `/game?url=${encodeURIComponent(g.url)}` }, thumb(g.last),
			h("span", { class: "text" }, h("span", { class: "name" }, title(g.url)), h("span", { class: "line muted tiny" }, g.url), h("span", { class: "row between" }, badge(g.last), h("span", { class: "muted tiny" }, `${plural(g.runs, "run")} · ${ago(g.last.created)}`)))))))
			: h("div", { class: "card empty" }, h("h2", {}, "No games yet"), h("p", { class: "muted" }, "What you play is listed here with its history."), h("a", { class: "button", href: "/" }, "Play a game"))));
}
