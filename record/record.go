package record

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// RecordVersion is the version of the Record's form. A reader refuses newer ones.
const RecordVersion = 1

// Record is everything a run measured. It is plain data: evaluation needs
// nothing else, and a saved record can be judged again without a browser.
type Record struct {
	Version     int         `json:"version"`
	RunID       string      `json:"runId"`
	Target      Target      `json:"target"`
	Started     time.Time   `json:"started"`
	Finished    time.Time   `json:"finished"`
	Environment Environment `json:"environment"`

	Load     LoadRecord     `json:"load"`
	Discover DiscoverRecord `json:"discover"`
	Explore  ExploreRecord  `json:"explore"`
	Health   HealthRecord   `json:"health"`
	// Twins is what two pages under one stepped clock showed; nil in records of
	// earlier versions.
	Twins *TwinRecord `json:"twins,omitempty"`
	// Survey is what the page is like beside the checks; nil when nobody looked.
	Survey *Survey `json:"survey,omitempty"`

	Actions     []Action     `json:"actions"`
	Decisions   []Decision   `json:"decisions"`
	Screenshots []Screenshot `json:"screenshots"`
	// Video is of the live page; nil when none was recorded.
	Video  *Video     `json:"video,omitempty"`
	Phases []PhaseRun `json:"phases"`
	// Spent is what models were paid for until the record was judged, nil when
	// none was asked.
	Spent *Spending `json:"spent,omitempty"`
	// Interrupted says why a run ended before its time: cancelled, out of time, browser lost.
	Interrupted string `json:"interrupted,omitempty"`
}

// BrowserLost is why a run ended whose browser died or stopped answering. What
// was measured until then does not speak against the game.
const BrowserLost = "browser lost"

// Spending is what the models of a run came to.
type Spending struct {
	Calls        int `json:"calls"`
	Tokens       int `json:"tokens"`
	VisionTokens int `json:"visionTokens,omitempty"` // of the calls that show the screen
	// Cost is in dollars, without the calls whose price is not known: Unpriced
	// counts those.
	Cost     float64 `json:"cost"`
	Unpriced int     `json:"unpriced,omitempty"`
}

// Environment is what this machine could offer the game.
type Environment struct {
	Playtest  string `json:"playtest"`
	Browser   string `json:"browser"`
	UserAgent string `json:"userAgent,omitempty"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	// WebGL is the renderer of a scratch context, empty when there is none.
	WebGL  string `json:"webgl"`
	WebGPU bool   `json:"webgpu"`
	Cores  int    `json:"cores"`
	// Sandbox says whether the page was kept in the browser's sandbox: "on",
	// "on, as nobody", "off: Chromium runs as root", "unknown".
	Sandbox string `json:"sandbox,omitempty"`
	// Session is where a browser of a service can be looked at.
	Session string `json:"session,omitempty"`
}

// Phase names.
const (
	PhaseLoad     = "load"
	PhaseDiscover = "discover"
	PhaseExplore  = "explore"
	PhaseEvaluate = "evaluate"
)

// PhaseRun is one attempt at a phase.
type PhaseRun struct {
	Phase    string        `json:"phase"`
	Attempt  int           `json:"attempt"`
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	Error    string        `json:"error,omitempty"`
	// Reason is why it failed, in words for people.
	Reason string `json:"reason,omitempty"`
	// Instead says what the attempt did differently because of what failed before.
	Instead string `json:"instead,omitempty"`
}

// LoadRecord is what phase 1 found.
type LoadRecord struct {
	Success             bool     `json:"success"`
	RequiresInteraction bool     `json:"requiresInteraction"`
	Errors              []string `json:"errors"`

	URL      string `json:"url"`
	Status   int    `json:"status"`
	MIMEType string `json:"mimeType,omitempty"`
	Title    string `json:"title,omitempty"`
	// Failure is set when the page cannot be opened at all.
	Failure *LoadFailure `json:"failure,omitempty"`
	// Retries are the attempts at opening the page that failed before this one.
	Retries []LoadRetry `json:"retries,omitempty"`

	Kind   string `json:"kind"`
	Inside string `json:"inside,omitempty"` // the kind inside an iframe
	Engine Engine `json:"engine"`

	Ready      bool          `json:"ready"`
	ReadyAfter time.Duration `json:"readyAfter"`
	// Signals are the readiness signals by name.
	Signals []ReadySignal `json:"signals"`
	// LoadingText is text that says the game still loads.
	LoadingText string `json:"loadingText,omitempty"`
	// RawTemplate is text of a template that nothing filled in.
	RawTemplate string `json:"rawTemplate,omitempty"`
	// Pending are requests that were still under way when waiting ended.
	Pending []string `json:"pending,omitempty"`
	// Blank: no visible element and no painted pixel.
	Blank bool `json:"blank"`
	// Covered names what lies over the game and could not be dismissed.
	Covered   string   `json:"covered,omitempty"`
	Dismissed []string `json:"dismissed,omitempty"`
	// GameRect is where the game lies in the viewport.
	GameRect Rect   `json:"gameRect"`
	GameNote string `json:"gameNote,omitempty"` // why the rectangle is what it is
	// CanvasShown: a canvas could be seen at some time. One that is hidden later
	// is hidden by the game.
	CanvasShown bool `json:"canvasShown,omitempty"`
	// Listens names the input events the page listens to.
	Listens []string `json:"listens,omitempty"`
	// Indicators are the metadata's loading indicators.
	Indicators []IndicatorResult `json:"indicators,omitempty"`
}

// LoadFailure says why a page cannot be opened.
type LoadFailure struct {
	Kind    string `json:"kind"` // status, dns, offline, connection, tls, redirects, timeout, download, crash, aborted
	Message string `json:"message"`
}

// LoadRetry is an attempt at opening a page that was followed by another.
type LoadRetry struct {
	Failure string `json:"failure"`
	// Waited is how long the server was left alone afterwards.
	Waited time.Duration `json:"waited"`
}

// Engine is the game engine, where it can be told.
type Engine struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	Scene   string `json:"scene,omitempty"`
}

// ReadySignal is one of the readiness signals.
type ReadySignal struct {
	Name   string        `json:"name"`
	Held   bool          `json:"held"`
	After  time.Duration `json:"after,omitempty"`
	Detail string        `json:"detail,omitempty"`
}

// IndicatorResult says whether something the metadata promised was seen.
type IndicatorResult struct {
	Kind string `json:"kind"` // loading, success
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	Met  bool   `json:"met"`
	// Detail is what was measured.
	Detail string `json:"detail,omitempty"`
}

// The kinds of indicator.
const (
	IndicatorLoading = "loading"
	IndicatorSuccess = "success"
)

// DiscoverRecord is what phase 2 found.
type DiscoverRecord struct {
	Controls   []Control `json:"controls"`
	Hypothesis string    `json:"hypothesis"`
	// Instructions are sentences on the page that tell how to play.
	Instructions []string `json:"instructions,omitempty"`
	KeysTried    int      `json:"keysTried"`
	// AnyKey: a handler runs for every key, whichever it is.
	AnyKey bool `json:"anyKey,omitempty"`
	// Coverage tells whether code coverage could be used; WebAssembly shows nothing.
	Coverage bool `json:"coverage"`
	WASM     bool `json:"wasm,omitempty"`
}

// ExploreRecord is what phase 3 found.
type ExploreRecord struct {
	Start    StartRecord `json:"start"`
	Trials   []Trial     `json:"trials"`
	Progress []Progress  `json:"progress,omitempty"`
	// GameOvers counts recognised ends, Restarts how often a new round began after one.
	GameOvers  int               `json:"gameOvers"`
	Restarts   int               `json:"restarts"`
	Reloads    int               `json:"reloads"`
	Indicators []IndicatorResult `json:"indicators,omitempty"`
	// Reach says how much of the game's own code ran.
	Reach Reach `json:"reach"`
	// Played is how long the game was watched after it was ready: while its controls
	// were looked for, and in play.
	Played time.Duration `json:"played"`
	Ended  string        `json:"ended,omitempty"` // why exploration stopped
	// Exhausted: every control that could be thought of was tried, after a fresh load too.
	Exhausted bool `json:"exhausted"`
	// Agent is what the agent that played claims; nil in the other modes.
	Agent *AgentVerdict `json:"agent,omitempty"`
	// Play is how the game was played with the controls that were found, Achieved
	// what the play of a model or of heuristics brought about; nil where there was none.
	Play     *PlayRecord `json:"play,omitempty"`
	Achieved *Achieved   `json:"achieved,omitempty"`
}

// PlayRecord is how a game was played after its controls were known, each of
// them and each action of the metadata in turn.
type PlayRecord struct {
	// Seconds of play, without the search for the controls.
	Seconds  float64      `json:"seconds"`
	Controls []PressCount `json:"controls"`
	// States counts different pictures that were seen.
	States int `json:"states"`
	// Ended says why play ended before its time; empty when it did not.
	Ended string `json:"ended,omitempty"`
}

// Achieved is what somebody's play brought about, by measurement. What the
// player says about it is not part of it.
type Achieved struct {
	// By is the mode of who played.
	By      Mode    `json:"by"`
	Seconds float64 `json:"seconds"`
	// Turns counts those in which something was done, Effects those after which
	// the game showed what it did not show in Idle looks at it while it was left alone.
	Turns   int `json:"turns"`
	Effects int `json:"effects"`
	Idle    int `json:"idle"`
	// States counts the different screens that effects led to, the first included.
	States int `json:"states"`
	// Moves: the picture changes by itself, so that a change after an input
	// proves nothing and no effect was counted.
	Moves bool `json:"moves,omitempty"`
	// Indicators counts the success indicators of the metadata that were met.
	Indicators int `json:"indicators,omitempty"`
	// Examples are some of the inputs that had an effect.
	Examples []string `json:"examples,omitempty"`
}

// AgentVerdict is an agent's own account of its play. It is kept beside what was
// measured and decides nothing.
type AgentVerdict struct {
	// Success: the agent says that it did what it was asked to do.
	Success bool `json:"success"`
	// Message is what it says about it.
	Message string `json:"message,omitempty"`
	// Stop is why it ended: closed, steps, time, ...
	Stop  string `json:"stop,omitempty"`
	Steps int    `json:"steps"`
	// Effective counts its actions after which something had changed.
	Actions   int `json:"actions"`
	Effective int `json:"effective"`
}

// StartRecord tells how the game was started.
type StartRecord struct {
	// Needed: the game waited for something before it could be played.
	Needed  bool `json:"needed"`
	Started bool `json:"started"`
	// Auto: the game runs without a start.
	Auto     bool           `json:"auto"`
	Attempts []StartAttempt `json:"attempts"`
	// Dead names a visible start button that did nothing when hit.
	Dead string `json:"dead,omitempty"`
}

// Gestures are those that had an effect, in their order, each once. What began another
// round is none of them.
func (s StartRecord) Gestures() (out []string) {
	for _, a := range s.Attempts {
		if a.Effect && a.Tier != TierAgain && !slices.Contains(out, a.Gesture) {
			out = append(out, a.Gesture)
		}
	}
	return out
}

// TierAgain is the tier of what begins another round of a game that was started.
const TierAgain = "again"

// StartAttempt is one gesture that might start a game.
type StartAttempt struct {
	Gesture string        `json:"gesture"` // click "Play" at 640,331
	Tier    string        `json:"tier"`    // what led to it: id, text, painted, engine, gesture and others
	Effect  bool          `json:"effect"`
	Proof   string        `json:"proof,omitempty"`
	Hit     bool          `json:"hit"` // the element under the point was the one meant
	Took    time.Duration `json:"took"`
	// After is when its outcome was known, counted from the beginning of exploration.
	After time.Duration `json:"after"`
}

// Progress is a sign that the game got further.
type Progress struct {
	Time time.Time `json:"time"`
	What string    `json:"what"` // score, level, scene, game over, restart
	From string    `json:"from,omitempty"`
	To   string    `json:"to,omitempty"`
}

// Reach is the share of a game's own code that ran, libraries told apart.
type Reach struct {
	Functions      int `json:"functions"`
	Executed       int `json:"executed"`
	LibraryScripts int `json:"libraryScripts"`
	OwnScripts     int `json:"ownScripts"`
}

// HealthRecord is what was seen of the game's life during the whole run.
type HealthRecord struct {
	Samples []HealthSample `json:"samples"`
	// Hung: the main thread stopped answering, and when.
	Hung *Incident `json:"hung,omitempty"`
	// Crashed: the renderer died.
	Crashed *Incident `json:"crashed,omitempty"`
	// ContextLost: a drawing context was lost and not restored.
	ContextLost *Incident `json:"contextLost,omitempty"`
	// Left: the page went to another address by itself.
	Left *Incident `json:"left,omitempty"`
	// ReloadLoop: the page loads itself again and again.
	ReloadLoop *Incident `json:"reloadLoop,omitempty"`
	// Hoards: the memory in use grows all the while, and nothing of it can be freed.
	Hoards *Incident `json:"hoards,omitempty"`

	Exceptions    []ErrorGroup `json:"exceptions"`
	ConsoleErrors []ErrorGroup `json:"consoleErrors"`
	FailedLoads   []FailedLoad `json:"failedLoads"`
	Pictures      Pictures     `json:"pictures"`
	Dialogs       []DialogSeen `json:"dialogs,omitempty"`
	Shader        []string     `json:"shaderErrors,omitempty"`
	Decode        []string     `json:"decodeFailures,omitempty"`
	Popups        int          `json:"popups,omitempty"`
	Downloads     int          `json:"downloads,omitempty"`
	LongTasks     LongTasks    `json:"longTasks"`
	// Refused is what playtest did not let the page reach. It never speaks
	// against the game.
	Refused []Refusal `json:"refused,omitempty"`
	Heap    []float64 `json:"heapMB,omitempty"` // about once a second since the page was loaded last
	FPS     float64   `json:"fps"`
	// What earlier versions wrote. It is read, and nothing judges by it.
	Stopped    *Incident  `json:"stopped,omitempty"`
	Frozen     *Incident  `json:"frozen,omitempty"`
	Ends       *Incident  `json:"ends,omitempty"`
	Unseen     string     `json:"unseen,omitempty"`
	Modalities []Modality `json:"modalities,omitempty"`
}

// Modality is one kind of input over the whole run: did it arrive, did the
// page's handlers run, did the game answer.
type Modality struct {
	Name string `json:"name"` // keyboard, pointer
	// Listens: something with a view of every event of the kind listens.
	Listens   bool `json:"listens"`
	Sent      int  `json:"sent"`
	Delivered int  `json:"delivered"`
	// Ran: handlers ran, seen by their reading of events or by their code.
	Ran bool `json:"ran"`
	// Wanted: the game's own code asks for this kind of input but nothing is
	// registered for it.
	Wanted bool `json:"wanted,omitempty"`
	// Stopped counts events that a listener above the game kept from it.
	Stopped int `json:"stopped,omitempty"`
	// Presses and StoppedPresses are those of the above that are no mere moves of
	// the pointer.
	Presses        int `json:"presses,omitempty"`
	StoppedPresses int `json:"stoppedPresses,omitempty"`
	// Throws counts inputs that ended in an exception.
	Throws int `json:"throws,omitempty"`
}

// Dead: events of the kind arrive and something listens, yet no handler ever
// ran, or a listener above the game stops nearly all of them.
func (m Modality) Dead() bool {
	// A page that loads itself again forgets what its handlers did, and a first
	// screen may keep what it was waiting for to itself, so only many events count.
	if m.Delivered < 12 {
		return false
	}
	// Many handlers let moves pass until something is pressed.
	unheard := (m.Listens || m.Wanted) && !m.Ran && (m.Name != "pointer" || m.Presses >= 4)
	return unheard || m.Stopped*10 >= m.Delivered*8
}

// HealthSample is one look at the game's life.
type HealthSample struct {
	At        time.Duration `json:"at"` // since the navigation
	Frames    int           `json:"frames"`
	Ran       time.Duration `json:"ran"` // how long the frames took, at their usual distance
	Draws     int           `json:"draws"`
	Changed   float64       `json:"changed"` // share of the picture that changed since the last sample
	Mutations int           `json:"mutations"`
	Latency   time.Duration `json:"latency"` // how long the main thread took to answer
	Acting    bool          `json:"acting"`  // input was being sent
}

// Refusal is a host that the page asked for and playtest did not let it reach.
type Refusal struct {
	Host   string `json:"host"`   // host and port
	URL    string `json:"url"`    // the first address of it that was asked for
	Type   string `json:"type"`   // of that request: Document, Image, WebSocket, ...
	Reason string `json:"reason"` // such as "a loopback address"
	Count  int    `json:"count"`
}

// Issue is how a report tells of the refusal.
func (r Refusal) Issue() Issue {
	return Issue{Severity: Minor, Description: fmt.Sprintf("playtest refused to reach %s: it is %s. The game asked for it %d times; this does not count against it.", r.Host, r.Reason, r.Count), Evidence: r.URL}
}

// Incident is something that went wrong at a time.
type Incident struct {
	At     time.Duration `json:"at"`
	What   string        `json:"what"`
	During string        `json:"during,omitempty"` // the action under way
}

// ErrorGroup is one error message with how often it came.
type ErrorGroup struct {
	Text  string        `json:"text"`
	URL   string        `json:"url,omitempty"`
	Line  int           `json:"line,omitempty"`
	Count int           `json:"count"`
	First time.Duration `json:"first"`
	Last  time.Duration `json:"last"`
	// ByInput counts how many of them came while an input was sent or right after it.
	ByInput int  `json:"byInput,omitempty"`
	Own     bool `json:"own"` // thrown by the game's own code, not by an extension or advert
}

// FailedLoad is a request that failed.
type FailedLoad struct {
	URL    string `json:"url"`
	Type   string `json:"type"`
	Status int    `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
	// SameSite: it comes from the game's own site rather than from that of analytics or adverts.
	SameSite bool `json:"sameSite"`
}

// Why says what happened to it instead.
func (l FailedLoad) Why() string {
	if l.Status > 0 {
		return fmt.Sprintf("status %d", l.Status)
	}
	if !strings.Contains(l.Error, "net::") {
		return l.Error // in words already
	}
	for _, c := range netErrors {
		if strings.Contains(l.Error, c.part) {
			return c.words
		}
	}
	return "it did not arrive"
}

// netErrors are words for what Chromium calls its failures, by part of their names.
var netErrors = []struct{ part, words string }{
	{"ERR_NAME_", "its host was not found"}, {"ERR_INTERNET_", "there was no network"}, {"TIMED_OUT", "no answer came"},
	{"ERR_CONNECTION_", "its server could not be reached"}, {"ERR_ADDRESS_", "its server could not be reached"},
	{"ERR_EMPTY_RESPONSE", "its server sent nothing"}, {"ERR_CERT_", "its server has no valid certificate"}, {"ERR_SSL_", "its server has no valid certificate"},
	{"ERR_BLOCKED", "the browser blocked it"}, {"ERR_UNSAFE_PORT", "the browser blocked it"}, {"ERR_ABORTED", "it was given up"},
	{"ERR_FILE_", "there is no such file"}, {"ERR_UNKNOWN_URL", "its address cannot be read"}, {"ERR_INVALID_URL", "its address cannot be read"},
}

// Pictures counts the pictures of its own site that the game asked for, and
// those of them that it never got.
type Pictures struct {
	Asked int `json:"asked"`
	Lost  int `json:"lost"`
}

// DialogSeen is a dialog that the page opened.
type DialogSeen struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Count   int    `json:"count"`
}

// LongTasks sums up the time the main thread was blocked.
type LongTasks struct {
	Count   int           `json:"count"`
	Longest time.Duration `json:"longest"`
	Share   float64       `json:"share"` // of the watched time
}

// Action is one input that was sent.
type Action struct {
	Time      time.Time `json:"time"`
	Phase     string    `json:"phase"`
	Kind      string    `json:"kind"` // click, keypress, hold, drag, type, scroll, wait, reload and others
	Target    string    `json:"target"`
	Success   bool      `json:"success"` // it was sent; says nothing of the game
	Effect    string    `json:"effect,omitempty"`
	Reasoning string    `json:"reasoning,omitempty"`
	// At is where the pointer acted: a place, or the way of a drag.
	At []Spot `json:"at,omitempty"`
	// URL is where the page was, Picture what it showed afterwards; empty where
	// nobody asked.
	URL     string        `json:"url,omitempty"`
	Picture string        `json:"picture,omitempty"`
	Took    time.Duration `json:"took"`
	Error   string        `json:"error,omitempty"`
}

// Decision is why something was done.
type Decision struct {
	Time       time.Time `json:"time"`
	Phase      string    `json:"phase"`
	Layer      string    `json:"layer,omitempty"`
	Saw        string    `json:"saw,omitempty"` // on the screen, in the words of a model
	What       string    `json:"what"`
	Why        string    `json:"why"`
	Confidence float64   `json:"confidence,omitempty"`
	Threshold  float64   `json:"threshold,omitempty"`
}

// Screenshot is a picture of the evidence.
type Screenshot struct {
	Stage string    `json:"stage"`
	Path  string    `json:"path"`
	Time  time.Time `json:"time"`
	Note  string    `json:"note,omitempty"`
}

// Video shows the page as it was played, with the inputs drawn over it. Stretches in
// which nothing happens are shortened, and of a long one there are the beginning and
// the end.
type Video struct {
	// Path and Thumbnail, a small animated GIF, lie beside the record; empty when
	// there is none.
	Path      string  `json:"path,omitempty"`
	Thumbnail string  `json:"thumbnail,omitempty"`
	Width     int     `json:"width"`
	Height    int     `json:"height"`
	Seconds   float64 `json:"seconds"`
	Bytes     int     `json:"bytes"`
}

// Stages that a report always has a picture of, where there was a page.
const (
	StageInitialLoad      = "initial_load"
	StageAfterInteraction = "after_interaction"
	StageFinalState       = "final_state"
)
