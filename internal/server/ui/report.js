// A run that was judged.

import { h, replace, keyName, lasts, plural, spot } from "./dom.js";
import { bars } from "./charts.js";
import { graph } from "./graph.js";
import { stage } from "./run.js";

const names = { gameLoaded: "Loads", controlsResponsive: "Answers to its controls", gameStable: "Stays alive" };
const states = { true: ["pass", "Proven"], false: ["fail", "Disproven"], undecided: ["warn", "Undecided"] };

export function done(run, rep, screens, told) {
	const file = name => `/api/runs/${run.id}/evidence/${name}`;
	return [
		h("section", { class: "three", "aria-label": "Checks" }, rep.checks.map(c => {
			const [kind, word] = states[c.state] ?? ["", c.state];
			return h("div", { class: "card check" }, h("span", { class: "badge " + kind }, word), h("h2", {}, names[c.name] ?? c.name), h("p", { class: "small" }, c.reason),
				c.measured?.length ? h("details", {}, h("summary", {}, "What was measured"), h("ul", { class: "stack tight small" }, c.measured.map(m => h("li", {}, m.holds ? "✓ " : "· ", m.name, m.detail ? h("span", { class: "muted" }, ": ", m.detail) : null)))) : null);
		})),
		rep.help ? h("p", { class: "note" }, rep.help) : null,
		scrubber(run, rep, told, file),
		h("div", { class: "split" },
			h("section", { class: "card stack" }, h("h2", {}, "Five metrics"), bars(rep.metrics)),
			h("section", { class: "card stack" }, h("h2", {}, "Facts"), h("dl", { class: "facts" }, facts(run, rep).map(([k, v]) => h("div", {}, h("dt", {}, k), h("dd", {}, v)))))),
		h("section", { class: "card stack" }, h("h2", {}, rep.issues.length ? plural(rep.issues.length, "issue") : "No issues"),
			rep.issues.length ? h("ul", { class: "issues" }, rep.issues.map(i => h("li", {}, h("div", {}, h("span", { class: "badge " + (i.severity === "minor" ? "warn" : "fail") }, i.severity)),
				h("div", { class: "stack tight" }, h("p", {}, i.description), i.evidence ? /^screenshots\/[\w.-]+$/.test(i.evidence) ? h("img", { src: file(i.evidence), alt: "Evidence", width: 480, height: 270, loading: "lazy" }) : h("p", { class: "small muted" }, i.evidence) : null)))) : h("p", { class: "muted small" }, "Nothing was found that a developer would have to mend.")),
		screens?.screens.length ? h("section", { class: "card stack" }, h("h2", {}, plural(screens.screens.length, "screen")), graph(screens, file)) : null,
		h("section", { class: "card stack" }, h("h2", {}, plural(rep.controls.length, "control")), rep.controls.length ? h("ul", { class: "stack wide" }, rep.controls.map(c => control(c, file))) : h("p", { class: "muted small" }, "No control was found.")),
	];
}

function control({ control: c, trial: t }, file) {
	const [kind, word] = { responsive: ["pass", "answers"], unresponsive: ["fail", "no answer"], undecided: ["warn", "undecided"] }[t.outcome] ?? ["", t.outcome || "not tried"];
	const replayed = t.signals?.some(s => s.name === "replay" && s.holds);
	return h("li", { class: "stack tight" },
		h("div", { class: "row" }, (c.keys ?? []).map(k => h("kbd", {}, k)), h("b", {}, c.description), h("span", { class: "badge " + kind }, word)),
		h("p", { class: "small muted" }, sentence(t.reason), t.negativeControl ? ` Compared with ${t.negativeControl}.` : ""),
		t.before && t.after ? h("div", { class: "pair" }, [[t.before, replayed ? "Without it" : "Before"], [t.after, replayed ? "With it" : "After"]].map(([path, text]) => h("figure", {}, h("img", { src: file(path), alt: `${text}: ${c.description}`, width: 640, height: 360, loading: "lazy" }), h("figcaption", {}, text)))) : null);
}

const sentence = text => text ? text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : "";

function facts(run, rep) {
	const m = rep.metadata;
	return [
		["Took", lasts(m.duration)], ["Kind", m.gameType || "unknown"], ["Engine", m.engine?.name || "none known"], ["Mode", m.mode], ["Judge", rep.evaluator],
		["Confidence", `${Math.round(rep.confidence * 100)} %`], ["Playability", `${rep.playability_score} of 100`], ["Inputs sent", m.actionCount], ["Code that ran", m.codeReach?.functions ? `${m.codeReach.executed} of ${m.codeReach.functions} functions` : "unknown"],
		["Errors logged", m.consoleErrors?.length ?? 0], ["Models cost", run.modelCalls ? `$${run.cost.toFixed(4)}` : "nothing"], ["Browser", m.environment?.browser], ["Seed", m.seed || "none"],
	];
}

// scrubber goes through the pictures with what was done and logged at each moment.
function scrubber(run, rep, told, file) {
	const shots = rep.screenshots;
	if (!shots.length) return null;
	const began = new Date(run.started ?? shots[0].time), actions = rep.metadata.actionHistory ?? [];
	const logs = [...(rep.metadata.consoleErrors ?? []).map(e => ({ time: e.time, kind: "console", text: e.text })), ...told.filter(e => e.kind === "network" || e.kind === "warning").map(e => ({ time: e.time, kind: e.kind, text: e.message }))];
	const picture = h("div", { class: "stage" }), caption = h("p", { class: "small" }), beside = h("ol"), story = h("div", { class: "feed", tabindex: 0, role: "group", "aria-label": "What was done before this picture" }, beside);
	const slider = h("input", { type: "range", min: 0, max: shots.length - 1, step: 1, value: 0, "aria-label": "Moment of the run" });
	const offset = t => lasts((new Date(t) - began) / 1000);
	function draw() {
		const i = Number(slider.value), shot = shots[i];
		const from = i ? new Date(shots[i - 1].time) : 0, to = new Date(shot.time);
		const within = list => list.filter(x => new Date(x.time) > from && new Date(x.time) <= to);
		const did = within(actions), control = tried(shot, rep);
		if (control && !did.some(a => a.picture === shot.path)) did.push({ time: shot.time, target: control.description });
		slider.setAttribute("aria-valuetext", `${stage(shot.path)}, ${offset(shot.time)}`);
		replace(picture, h("img", { src: file(shot.path), alt: shot.note || stage(shot.path), width: 1280, height: 720 }), marks(shot, rep));
		replace(caption, h("b", {}, stage(shot.path)), " ", h("span", { class: "muted" }, `after ${offset(shot.time)}`, shot.note ? ` · ${shot.note}` : "", control ? `: ${control.description}` : ""));
		const lines = [...did.map(a => ({ time: a.time, kind: "", text: a.target + (a.reasoning ? `: ${a.reasoning}` : "") })), ...within(logs)].sort((a, b) => new Date(a.time) - new Date(b.time));
		replace(beside, lines.length ? lines.slice(-60).map(l => h("li", {}, h("time", {}, offset(l.time)), h("span", { class: l.kind }, l.text))) : h("li", { class: "whole muted" }, i ? "Nothing since the picture before." : "Nothing was sent until here."));
	}
	slider.addEventListener("input", draw);
	const marked = shots.findLastIndex(s => marks(s, rep)), best = marked >= 0 ? marked : shots.findLastIndex((s, i) => i && actions.some(a => new Date(a.time) > new Date(shots[i - 1].time) && new Date(a.time) <= new Date(s.time)));
	slider.value = Math.max(0, best);
	draw();
	return h("section", { class: "card stack" }, h("h2", {}, "The run, moment by moment"),
		h("div", { class: "split" }, h("div", { class: "stack tight" }, picture, slider, caption), h("div", { class: "stack tight" }, h("h3", {}, "What was done before this picture"), story)));
}

// tried is the control that was operated for a picture.
const tried = (shot, rep) => rep.controls.find(c => c.trial.after === shot.path)?.control;

// marks draws where the pointer is in a picture and which keys were pressed for it. Only what the report says of this very
// picture: pictures are kept later than they are taken, and those of the twins show none of what was done before.
function marks(shot, rep) {
	const action = rep.metadata.actionHistory?.find(a => a.picture === shot.path), control = tried(shot, rep);
	const window = rep.metadata.environment, at = action?.target.match(/(?:^| )at (\d+),(\d+)(?: for \S+)?$/), box = control?.box;
	const point = at ? { x: Number(at[1]), y: Number(at[2]) } : control?.path?.at(-1) ?? (box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : null);
	if (point && window?.width) return h("span", { class: "pointer", style: spot(point, window.width, window.height) });
	const keys = /^(keypress|hold|chord)$/.test(action?.kind) ? [action.target.replace(/^(press|hold|keypress|chord) | for \S+$/g, "")] : control?.keys?.length === 1 ? control.keys : [];
	return keys.length ? h("span", { class: "keycaps" }, keys.map(k => h("kbd", {}, keyName(k)))) : null;
}
