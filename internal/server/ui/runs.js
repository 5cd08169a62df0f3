import { h, replace, ago, badge, thumb, title, s } from "./dom.js";
import { get, live } from "./api.js";
import { spark } from "./charts.js";

const states = [["", "All"], ["status=running", "Playing"], ["status=queued", "Waiting"], ["verdict=pass", "Works"], ["verdict=fail", "Broken"], ["status=parked", "Parked"], ["status=cancelled", "Cancelled"]];

export async function show(place, path, query) {
	const list = h("ul", { class: "runs", "aria-label": "Runs" });
	const more = h("button", { type: "button", hidden: true }, "Show more");
	const search = h("input", { type: "search", id: "search", placeholder: "Address or name", value: query.get("search") ?? "" });
	const wanted = query.get("status") ? `status=${query.get("status")}` : query.get("verdict") ? `verdict=${query.get("verdict")}` : "";
	const state = h("select", { id: "state" }, states.map(([value, word]) => h("option", { value, selected: value === wanted }, word)));
	const rows = new Map();
	let next = "", asked = 0;

	const filter = () => {
		const q = new URLSearchParams(state.value);
		if (search.value.trim()) q.set("search", search.value.trim());
		return q;
	};
	const add = (run, first) => {
		const row = item(run);
		const old = rows.get(run.id);
		rows.set(run.id, row);
		if (old) old.replaceWith(row);
		else if (first) list.prepend(row);
		else list.append(row);
	};
	async function load(cursor) {
		const mine = ++asked;
		const q = filter();
		history.replaceState(null, "", "/runs" + (q.size ? "?" + q : ""));
		q.set("history", "1");
		if (cursor) q.set("cursor", cursor);
		const page = await get("/api/runs?" + q);
		if (mine !== asked) return;
		if (!cursor) { list.replaceChildren(); rows.clear(); }
		for (const run of page.runs) add(run, false);
		next = page.next ?? "";
		more.hidden = !next;
		if (!rows.size) replace(list, nothing(q.size > 1));
	}
	let timer;
	search.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(load, 200); });
	state.addEventListener("change", () => load());
	more.addEventListener("click", () => load(next));
	await load();

	const stop = live("/api/", m => {
		if (m.type !== "run") return;
		const known = rows.has(m.run.id);
		if (!known && filter().size) return; // it may not belong here: the next search tells
		if (!known) list.querySelector(".empty")?.closest("li")?.remove();
		add({ ...m.run, history: undefined }, true);
	});
	replace(place, h("div", { class: "stack" }, h("h1", {}, "Runs"),
		h("div", { class: "tools" }, h("label", { for: "search", class: "hidden" }, "Search"), search, h("label", { for: "state", class: "hidden" }, "State"), state),
		h("div", { class: "card flush" }, list), h("div", { class: "row" }, more)));
	return stop;
}

function item(run) {
	const busy = run.status === "running" || run.status === "queued";
	const second = run.summary || run.error || (busy ? run.phase ? phases[run.phase] ?? run.phase : run.status === "queued" ? "Waiting for its turn" : "Beginning" : run.url);
	return h("li", {}, h("a", { class: "run", href: `/runs/${run.id}` },
		thumb(run),
		h("div", { class: "grow" }, h("div", { class: "name" }, title(run.url)), h("div", { class: "line small muted" }, second)),
		h("div", {}, badge(run)),
		h("div", {}, run.overallScore !== undefined ? [h("div", { class: "score" }, Math.round(run.overallScore)), spark(run.history)] : null),
		h("div", { class: "when small muted" }, ago(run.created))));
}

const phases = { load: "Opening the page", discover: "Finding the controls", explore: "Playing", evaluate: "Judging" };

function nothing(filtered) {
	return h("li", {}, h("div", { class: "empty" },
		s("svg", { viewBox: "0 0 64 64", "aria-hidden": true, fill: "none", stroke: "currentColor", "stroke-width": 2 }, s("rect", { x: 8, y: 16, width: 48, height: 32, rx: 8 }), s("path", { d: "M28 26v12l10-6z" })),
		h("h2", {}, filtered ? "Nothing fits" : "No runs yet"),
		h("p", { class: "muted" }, filtered ? "No run fits what you are looking for." : "The first one is a click away."),
		filtered ? null : h("a", { class: "button", href: "/" }, "Play a game")));
}
