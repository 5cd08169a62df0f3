import { h, replace, art, ago, badge, thumb, title } from "./dom.js";
import { get, post } from "./api.js";
import { go } from "./app.js";

export async function show(place) {
	const [{ games }, { runs }] = await Promise.all([get("/api/bundled"), get("/api/runs?limit=4")]);
	const said = h("p", { class: "note bad", role: "alert" });
	const address = h("input", { id: "url", type: "url", inputmode: "url", placeholder: "https://example.com/game/", required: true, autocomplete: "url", spellcheck: "false" });
	const button = h("button", { class: "primary", type: "submit" }, "Play it");
	const options = settings();

	async function submit(url, extra = {}) {
		replace(said);
		button.disabled = true;
		try {
			const { id } = await post("/api/runs", { url, ...extra });
			go(`/runs/${id}`);
		} catch (error) {
			replace(said, error.message);
			button.disabled = false;
		}
	}
	const form = h("form", { class: "stack", novalidate: true, onsubmit: e => {
		e.preventDefault();
		const extra = options.read();
		if (extra) submit(address.value.trim(), extra);
	} },
	h("label", { for: "url", class: "hidden" }, "The game's address"),
	h("div", { class: "big" }, address, button), said,
	h("details", {}, h("summary", {}, "Options: metadata, who plays, what it may cost"), options.fields));

	replace(place, h("div", { class: "stack wide" },
		h("section", { class: "hero" }, h("h1", {}, "Does the game work?"),
			h("p", { class: "muted" }, "Paste its address. It is opened in a real browser and played; you watch, and read the verdict."), form),
		runs.length ? h("section", { class: "stack" }, h("div", { class: "head" }, h("h2", {}, "Lately"), h("a", { class: "small", href: "/runs" }, "All runs")),
			h("ul", { class: "grid" }, runs.map(r => h("li", {}, h("a", { class: "tile", href: `/runs/${r.id}` }, thumb(r), h("span", { class: "text" }, h("span", { class: "name" }, title(r.url)), h("span", { class: "row between" }, badge(r), h("span", { class: "muted tiny" }, ago(r.created))))))))) : null,
		games.length ? h("section", { class: "stack" }, h("div", {}, h("h2", {}, "Try it on one of ours"), h("p", { class: "muted small" }, "These come with playtest and need no network. A verdict takes less than a minute.")),
			offered(order(games).map(g => h("li", {}, h("button", { class: "tile", type: "button", onclick: () => submit(g.url) },
				h("span", { class: "thumb" }, art(g.name)),
				h("span", { class: "text" }, h("span", { class: "name" }, g.title), h("span", { class: "about" }, g.about), h("span", { class: "row" }, h("span", { class: "badge " + (g.broken ? "fail" : "plain") }, g.broken ? "broken on purpose" : g.genre)))))))) : null));
}

// The game that everybody knows and its broken twin come first.
function order(games) {
	const rank = g => g.name === "noughts" ? 0 : g.broken ? 1 : 2;
	return games.toSorted((a, b) => rank(a) - rank(b));
}

// offered shows a few and has the rest ready.
function offered(tiles) {
	const list = h("ul", { class: "grid" }, tiles.slice(0, 8));
	const rest = tiles.slice(8);
	const more = h("button", { type: "button", onclick: () => { list.append(...rest); more.remove(); rest[0].firstChild.focus(); } }, `Show ${rest.length} more`);
	return [list, rest.length ? h("div", {}, more) : null];
}

// settings are the fields that may be left alone.
function settings() {
	const choice = (id, label, values, help) => {
		const select = h("select", { id }, values.map(([value, word]) => h("option", { value }, word)));
		return [select, h("div", { class: "field" }, h("label", { for: id }, label), select, help ? h("small", {}, help) : null)];
	};
	const field = (id, label, props, help) => {
		const input = h("input", { id, ...props });
		return [input, h("div", { class: "field" }, h("label", { for: id }, label), input, h("small", {}, help))];
	};
	const [mode, modeField] = choice("mode", "Who plays", [["standard", "Standard: no model"], ["adaptive", "Adaptive: looks and decides"], ["agent", "Agent: a model plays"]]);
	const [model, modelField] = field("model", "Model", { placeholder: "vendor/name", spellcheck: "false" }, "The worker's own when empty.");
	const [budget, budgetField] = field("budget", "Budget in dollars", { type: "number", min: 0, step: .01, placeholder: "0.25" }, "The most that models may cost.");
	const [limit, limitField] = field("limit", "Longest time", { placeholder: "5m" }, "Such as 90s or 5m.");
	const text = h("textarea", { id: "metadata", spellcheck: "false", placeholder: "title: My game\nexpectedControls: arrow keys to move, space to jump" });
	const verdict = h("p", { class: "note", "aria-live": "polite" });
	let timer, bad = "";
	async function check() {
		bad = "";
		verdict.className = "note";
		replace(verdict);
		if (!text.value.trim()) return;
		try {
			const answer = await post("/api/validate", { metadata: text.value });
			bad = answer.valid ? "" : answer.problem;
			verdict.className = answer.valid ? "note good" : "note bad";
			replace(verdict, answer.valid ? `This can be used. It declares ${answer.actions} inputs.` : answer.problem);
		} catch (error) { replace(verdict, error.message); }
	}
	text.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(check, 300); });
	const file = h("input", { id: "file", type: "file", accept: ".json,.yaml,.yml" });
	file.addEventListener("change", async () => {
		const f = file.files[0];
		if (!f) return;
		if (f.size > 512 * 1024) { verdict.className = "note bad"; return replace(verdict, "The file is larger than half a megabyte."); }
		text.value = await f.text();
		check();
	});
	return {
		fields: h("div", { class: "stack" }, h("div", { class: "fields" }, modeField, modelField, budgetField, limitField),
			h("div", { class: "field" }, h("label", { for: "file" }, "What the author says about the game (JSON or YAML)"), file),
			h("div", { class: "field" }, h("label", { for: "metadata" }, "The same as text"), text), verdict),
		read() {
			if (bad) return text.focus(), null;
			const out = {};
			if (mode.value !== "standard") out.mode = mode.value;
			if (model.value.trim()) out.model = model.value.trim();
			if (budget.value !== "") out.budget = Number(budget.value);
			if (limit.value.trim()) out.maxDuration = limit.value.trim();
			if (text.value.trim()) out.metadata = text.value;
			return out;
		},
	};
}
