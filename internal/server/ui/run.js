import { h, replace, badge, clock, keyName, plural, spot, title, took } from "./dom.js";
import { get, post, live } from "./api.js";
import { ring } from "./charts.js";
import { graph } from "./graph.js";
import { go } from "./app.js";
import { done } from "./report.js";

const phases = [["load", "Open"], ["discover", "Find controls"], ["explore", "Play"], ["evaluate", "Judge"]];

export async function show(place, path) {
	const id = path[1];
	let run = await get(`/api/runs/${encodeURIComponent(id)}`);
	const head = h("div"), body = h("div", { class: "stack wide" });
	const watched = watching(id);
	replace(place, h("div", { class: "stack wide" }, head, body));
	let shown = "", report = null;

	async function draw() {
		replace(head, header(run, report));
		const over = !["queued", "running"].includes(run.status);
		const want = over ? run.status + (run.verdict ?? "") : "live";
		if (want === shown) return;
		shown = want;
		report = null;
		if (!over) return replace(body, watched.view);
		run = await get(`/api/runs/${run.id}`);
		report = run.verdict ? await get(`/api/runs/${run.id}/report`) : null;
		replace(head, header(run, report));
		const [screens, told] = report ? await Promise.all(["screens", "events?limit=1000"].map(what => get(`/api/runs/${run.id}/${what}`).catch(() => null))) : [];
		replace(body, report ? done(run, report, screens, told?.events ?? []) : ended(run), story(watched));
	}
	await draw();
	const stop = live(`/api/runs/${encodeURIComponent(id)}/`, async m => {
		if (m.run) run = { ...run, ...m.run };
		for (const e of m.events ?? []) watched.tell(e);
		if (m.event) watched.tell(m.event);
		if (m.picture) return watched.glimpse(m.picture);
		watched.phase(run);
		if (m.run) await draw();
	}, watched.linked, true);
	const timer = setInterval(() => watched.phase(run), 1000);
	const bill = async () => { if (["queued", "running"].includes(run.status)) watched.cost(await get(`/api/runs/${encodeURIComponent(id)}`).catch(() => run)); };
	watched.cost(run);
	const meter = setInterval(bill, 5000);
	return () => { stop(); clearInterval(timer); clearInterval(meter); };
}

function header(run, report) {
	const busy = run.status === "running" || run.status === "queued";
	const sentence = run.summary || run.error || { queued: "It waits for its turn.", running: "It is being played.", cancelled: "It was cancelled.", parked: "It was given up after too many attempts." }[run.status] || "It has ended.";
	const said = h("p", { class: "note bad", role: "alert" });
	const act = (word, what) => h("button", { type: "button", onclick: async e => {
		const button = e.currentTarget;
		button.disabled = true;
		try { await what(); } catch (error) { replace(said, error.message); button.disabled = false; }
	} }, word);
	const stop = () => post(`/api/runs/${run.id}/cancel`);
	const retry = async () => { await post(`/api/runs/${run.id}/retry`); go(`/runs/${run.id}`); };
	const again = async () => { const { id } = await post("/api/runs", { url: run.url, mode: run.mode }); go(`/runs/${id}`); };
	return h("div", { class: "stack" },
		h("div", { class: "verdict" },
			h("div", { class: "stack tight" }, h("div", { class: "row" }, badge(run), h("span", { class: "muted small" }, title(run.url))),
				h("h1", { "aria-live": "polite", "data-title": title(run.url) }, sentence),
				h("p", { class: "small muted line" }, h("a", { href: run.url, rel: "noreferrer noopener", target: "_blank" }, run.url))),
			report ? ring(report.overall_score, "score") : null),
		h("div", { class: "row" },
			busy ? act("Stop", stop) : act("Play again", again),
			["failed", "cancelled", "parked"].includes(run.status) ? act("Retry", retry) : null,
			h("a", { class: "button", href: `/game?url=${encodeURIComponent(run.url)}` }, "History"),
			run.batch ? h("a", { class: "button", href: `/batch/${encodeURIComponent(run.batch)}` }, "Batch") : null,
			report ? h("a", { class: "button", href: `/api/runs/${run.id}/report?format=html`, target: "_blank" }, "Report") : null,
			report ? h("a", { class: "button", href: `/api/runs/${run.id}/report`, download: `${run.id}.json` }, "JSON") : null), said);
}

// watching is a run under way: phases, picture, controls, what it tells.
function watching(id) {
	const steps = new Map(phases.map(([name, word]) => [name, { li: h("li", {}, h("b", {}, word), h("span", {}, " ")), word }]));
	const picture = h("div", { class: "stage" }, "The first picture comes in a moment");
	const caption = h("figcaption", { class: "small muted" }, " ");
	const found = h("ul", { class: "stack tight small" }, h("li", { class: "muted" }, "None yet"));
	const lines = h("ol"), log = h("div", { class: "feed", role: "log", "aria-label": "What happens", tabindex: 0 }, lines);
	const link = h("span", { class: "tiny muted" }), spent = h("p", { class: "small muted" });
	const screens = h("div", { class: "stack tight", hidden: true }, h("h2", {}, "Screens"), h("div"));
	const seen = new Set(), proven = [], began = new Map(), ended = new Map(), moves = [];
	let count = 0, current = "", live = null;

	function tell(e) {
		if (seen.has(e.id)) return;
		seen.add(e.id);
		if (e.kind === "phase") { began.set(e.phase, e.time); current = e.phase; }
		if (e.kind === "phase_ended") { ended.set(e.phase, e.time); return; }
		if (e.kind === "controls") count = e.done ?? 0;
		if (e.kind === "control") proven.push(e.message);
		if (e.kind === "controls" || e.kind === "control")
			replace(found, h("li", { class: "muted" }, `${plural(Math.max(count, proven.length), "control")} found, ${proven.length} proven`), proven.map(p => h("li", {}, h("span", { class: "badge pass" }, "answers"), " ", p.replace(/: the game answers$/, ""))));
		if (e.kind === "screenshot") return look(e);
		if (e.kind === "screen") {
			moves.push({ from: e.done, to: e.total, input: e.message });
			screens.hidden = false;
			replace(screens.lastChild, graph({ screens: [...new Set(moves.flatMap(m => [m.from, m.to]))].sort((a, b) => a - b).map(n => ({ id: n })), moves }));
			return;
		}
		const bottom = log.scrollTop + log.clientHeight >= log.scrollHeight - 24;
		lines.append(h("li", {}, h("time", { datetime: e.time }, clock(e.time)), h("span", { class: e.kind }, e.message)));
		while (lines.childElementCount > 300) lines.firstChild.remove();
		if (bottom) log.scrollTop = log.scrollHeight;
	}
	function look(e) {
		if (live || !/^screenshots\/[\w.-]+$/.test(e.message)) return;
		const img = h("img", { src: `/api/runs/${encodeURIComponent(id)}/evidence/${e.message}`, alt: "The game as it looks now", width: 1280, height: 720 });
		img.addEventListener("load", () => { if (live) return; replace(picture, img); replace(caption, stage(e.message), " · ", clock(e.time)); }, { once: true });
	}
	// glimpse shows the page that is played, with what was done to it since the glimpse before.
	function glimpse(g) {
		if (!live) {
			live = { img: h("img", { alt: "The game as it is played now", width: 1280, height: 720 }), marks: h("div", { class: "marks", "aria-hidden": true }) };
			replace(picture, live.img, live.marks);
		}
		live.img.src = `data:image/jpeg;base64,${g.jpeg}`;
		const at = p => spot(p, g.width, g.height);
		const keys = [...(g.keys ?? []).map(keyName), ...(g.typing ? ["text"] : [])];
		replace(live.marks, h("span", { class: "cursor", style: at(g.pointer) }), (g.presses ?? []).map(p => h("span", { class: "pointer", style: at(p) })),
			keys.length ? h("span", { class: "keycaps" }, keys.map(k => h("kbd", {}, k))) : null);
		replace(caption, g.stepped ? "Live, under a stepped clock" : "Live", " · ", clock(g.time));
	}
	function phase(run) {
		for (const [name, { li }] of steps) {
			const is = ended.has(name) ? "done" : name === current && run.status === "running" ? "now" : "";
			li.className = is;
			li.lastChild.textContent = ended.has(name) ? took(began.get(name), ended.get(name)) : is === "now" ? took(began.get(name)) : " ";
			if (is === "now") li.setAttribute("aria-current", "step"); else li.removeAttribute("aria-current");
		}
	}
	const view = h("div", { class: "stack wide" },
		h("ol", { class: "phases", "aria-label": "Phases" }, [...steps.values()].map(p => p.li)),
		h("div", { class: "split" },
			h("div", { class: "card stack" }, h("figure", { class: "stack tight" }, picture, caption), h("div", { class: "stack tight" }, h("h2", {}, "Controls"), found), screens),
			h("div", { class: "card stack tight" }, h("div", { class: "head" }, h("h2", {}, "What happens"), link), log, spent)));
	function cost(run) { replace(spent, run.modelCalls ? `${plural(run.modelCalls, "call")} to models, $${run.cost.toFixed(4)} so far` : "No model was asked, so it costs nothing."); }
	return { view, tell, phase, glimpse, cost, log, linked: ok => replace(link, ok ? "live" : "connecting…") };
}

export function stage(name) {
	const word = name.replace(/^screenshots\/[\dT.]+-(phase\d-)?/, "").replace(/\.png$/, "").replaceAll("-", " ");
	return word.charAt(0).toUpperCase() + word.slice(1);
}

function ended(run) {
	return h("div", { class: "card stack" }, h("h2", {}, "Attempts"), h("table", {}, h("thead", {}, h("tr", {}, ["Attempt", "Ended as", "After", "Why"].map(t => h("th", {}, t)))),
		h("tbody", {}, (run.attempted ?? []).map((a, i) => h("tr", {}, h("td", {}, i + 1), h("td", {}, a.outcome ?? "under way"), h("td", {}, took(a.started, a.ended)), h("td", {}, a.error ?? ""))))));
}

function story(watched) {
	return h("details", { class: "card" }, h("summary", {}, "Everything that the run told"), watched.log);
}
