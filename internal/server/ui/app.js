// The dashboard: one page whose address says what to show.

import { h, replace } from "./dom.js";

const main = document.getElementById("main");

// Pages by the first part of the address. Each returns a function that ends it, or nothing.
const pages = {
	"": () => import("./start.js"),
	runs: path => path.length > 1 ? import("./run.js") : import("./runs.js"),
	games: () => import("./games.js"),
	game: () => import("./game.js"),
	batch: () => import("./batch.js"),
	compare: () => import("./compare.js"),
	settings: () => import("./settings.js"),
};

let leave = null, turn = 0;

async function show(focus) {
	const mine = ++turn;
	const path = location.pathname.split("/").filter(Boolean).map(decodeURIComponent);
	leave?.();
	leave = null;
	for (const a of document.querySelectorAll(".bar nav a")) {
		const to = a.getAttribute("href").slice(1), here = path[0] ?? "";
		if (to === here || to === "runs" && ["batch", "compare"].includes(here) || to === "games" && here === "game") a.setAttribute("aria-current", "page");
		else a.removeAttribute("aria-current");
	}
	const load = pages[path[0] ?? ""];
	try {
		if (!load) throw new Error("There is no page at this address.");
		const page = await load(path);
		if (mine !== turn) return;
		const place = h("div", { class: "fade" });
		const end = await page.show(place, path, new URLSearchParams(location.search));
		if (mine !== turn) return end?.();
		leave = end ?? null;
		replace(main, place);
	} catch (error) {
		if (mine !== turn) return;
		replace(main, h("div", { class: "card empty" }, h("h1", { tabindex: -1 }, "That did not work"), h("p", { class: "muted" }, error.message), h("a", { class: "button", href: "/" }, "Back to the start")));
	}
	const heading = main.querySelector("h1");
	document.title = heading && (path[0] ?? "") !== "" ? `${heading.dataset.title ?? heading.textContent} · playtest` : "playtest";
	if (focus) {
		scrollTo(0, 0);
		heading?.setAttribute("tabindex", "-1");
		heading?.focus({ preventScroll: true });
	}
	document.documentElement.dataset.ready = location.pathname + location.search;
	performance.mark("ready");
}

export function go(address) {
	history.pushState(null, "", address);
	show(true);
}

document.addEventListener("click", e => {
	const a = e.target.closest?.("a[href]");
	if (!a || e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || a.hasAttribute("download") || a.target) return;
	const to = new URL(a.getAttribute("href"), location.href);
	if (to.origin !== location.origin || to.pathname.startsWith("/api/") || a.getAttribute("href").startsWith("#")) return;
	e.preventDefault();
	go(to.pathname + to.search);
});
addEventListener("popstate", () => show(true));
const theme = localStorage.getItem("theme");
if (theme) document.documentElement.dataset.theme = theme;
show(false);
