import { h, replace, ago } from "./dom.js";
import { get, post, remove } from "./api.js";

export async function show(place) {
	const me = await get("/api/me");
	const admin = me.scopes.includes("admin");
	const [ready, hooks, audit] = await Promise.all([get("/api/ready").then(() => true, () => false), admin ? get("/api/webhooks") : null, admin ? get("/api/audit") : null]);
	const limit = (n, word = v => v) => n ? `of ${word(n)}` : "";
	const mb = n => n >= 1e9 ? `${(n / 1e9).toFixed(1)} GB` : `${(n / 1e6).toFixed(1)} MB`;
	const facts = rows => h("dl", { class: "facts" }, rows.map(([k, v]) => h("div", {}, h("dt", {}, k), h("dd", {}, v))));
	const theme = h("select", { id: "theme" }, [["", "As the system has it"], ["light", "Light"], ["dark", "Dark"]].map(([value, word]) => h("option", { value, selected: value === (localStorage.getItem("theme") ?? "") }, word)));
	theme.addEventListener("change", () => {
		if (theme.value) { localStorage.setItem("theme", theme.value); document.documentElement.dataset.theme = theme.value; }
		else { localStorage.removeItem("theme"); delete document.documentElement.dataset.theme; }
	});
	replace(place, h("div", { class: "stack wide" }, h("h1", {}, "Settings and health"),
		h("section", { class: "card stack" }, h("div", { class: "row between" }, h("h2", {}, "Health"), h("span", { class: "badge " + (ready ? "pass" : "fail") }, ready ? "Ready" : "Not ready")),
			facts([["Version", me.version], ["Waiting", `${me.usage.queued} ${limit(me.limits.queued)}`], ["Being played", `${me.usage.running} ${limit(me.limits.running)}`], ["Evidence", `${mb(me.usage.evidenceBytes)} ${limit(me.limits.evidenceBytes, mb)}`], ["Models, last 24 h", `$${me.usage.dollarsToday.toFixed(2)} ${limit(me.limits.dollarsPerDay, v => "$" + v)}`], ["Watching now", me.watching]])),
		h("section", { class: "card stack" }, h("h2", {}, "You"), facts([["Who", me.local ? "Somebody at this machine" : me.name || "A token"], ["Project", me.project], ["May", me.scopes.join(", ")]]),
			h("div", { class: "row" }, h("div", { class: "field" }, h("label", { for: "theme" }, "Colours"), theme)),
			me.local ? null : h("form", { method: "post", action: "/logout" }, h("button", { type: "submit" }, "Log out"))),
		admin ? webhooks(hooks.webhooks) : null,
		admin ? h("section", { class: "card stack" }, h("h2", {}, "Who did what"), audit.notes.length ? h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["When", "Who", "What", "To what"].map(t => h("th", {}, t)))),
			h("tbody", {}, audit.notes.slice(0, 20).map(n => h("tr", {}, h("td", {}, ago(n.at)), h("td", {}, n.actor), h("td", {}, n.action), h("td", {}, n.subject)))))) : h("p", { class: "muted small" }, "Nothing yet.")) : null,
		h("section", { class: "card stack" }, h("h2", {}, "For programs"), h("p", { class: "small" }, "Everything here is also an API: ", h("a", { href: "/api/openapi.json", target: "_blank" }, "/api/openapi.json"), ". Counters for Prometheus are at ", h("a", { href: "/metrics", target: "_blank" }, "/metrics"), "."))));
}

function webhooks(list) {
	const address = h("input", { id: "hook", type: "url", placeholder: "https://example.com/hook" });
	const said = h("p", { class: "note", role: "status" });
	const rows = h("ul", { class: "stack tight small" });
	const draw = () => replace(rows, list.length ? list.map(w => h("li", { class: "row between" }, h("span", { class: "mono" }, w.url), h("button", { type: "button", "aria-label": `Remove ${w.url}`, onclick: async () => { await remove(`/api/webhooks/${w.id}`); list = list.filter(x => x !== w); draw(); } }, "Remove"))) : h("li", { class: "muted" }, "Nobody is told yet."));
	draw();
	return h("section", { class: "card stack" }, h("h2", {}, "Webhooks"), h("p", { class: "small muted" }, "A signed message is posted to these addresses when a run has ended."), rows,
		h("form", { class: "row", onsubmit: async e => {
			e.preventDefault();
			try {
				const made = await post("/api/webhooks", { url: address.value.trim() });
				said.className = "note good";
				replace(said, `The secret for its signatures, shown only now: ${made.secret}`);
				list = [...list, made];
				address.value = "";
				draw();
			} catch (error) { said.className = "note bad"; replace(said, error.message); }
		} }, h("div", { class: "grow" }, h("label", { for: "hook", class: "hidden" }, "Address"), address), h("button", { type: "submit" }, "Add")), said);
}
