// Package tasks is thirty small tasks on local sites, and a scripted model that
// carries them out through a stage or an agent: what the library can do with a
// page when the model knows what it wants.
package tasks

// Task is something to do on a page.
type Task struct {
	Area string `json:"area"`
	Name string `json:"name"`
	Path string `json:"path"`
	// Steps are carried out one after the other. The model knows what each wants
	// and finds the element in the tree that it is sent.
	Steps []Step `json:"steps"`
	// Done is an expression that is true in the page when the task is done.
	Done string `json:"done,omitempty"`
	// Download is the name of a file that has to be there then.
	Download string `json:"download,omitempty"`
}

// Step is an action on one element, or something to be read.
type Step struct {
	Say string `json:"say"`
	// Role and Name are of the element; roles are alternatives, and Nth is which
	// one of several, counted from 0.
	Role   string   `json:"role,omitempty"`
	Name   string   `json:"name,omitempty"`
	Nth    int      `json:"nth,omitempty"`
	Method string   `json:"method,omitempty"`
	Args   []string `json:"args,omitempty"`
	// Find is an expression over the tree that was sent, for what is read, and
	// Want what its group has to be.
	Find string `json:"find,omitempty"`
	Want string `json:"want,omitempty"`
	// Restart opens the page again in a context of its own that has the cookies
	// and the storage of the one before.
	Restart bool `json:"restart,omitempty"`
}

// Variables are what the steps speak of as %name%.
var Variables = map[string]string{"code": "spring-5531", "password": "correct horse"}

// File is what is there to be uploaded, and its content.
const File, content = "letter.txt", "Dear shop"

func click(say, role, name string) Step {
	return Step{Say: say, Role: role, Name: name, Method: "click"}
}

func fill(say, role, name, text string) Step {
	return Step{Say: say, Role: role, Name: name, Method: "fill", Args: []string{text}}
}

func read(say, find, want string) Step { return Step{Say: say, Find: find, Want: want} }

func nth(s Step, n int) Step {
	s.Nth = n
	return s
}

func with(s Step, method string, args ...string) Step {
	s.Method, s.Args = method, args
	return s
}

// All are the tasks.
var All = []Task{
	{Area: "shop", Name: "buy an article", Path: "/shop", Steps: []Step{click("buy the tea", "button", "Buy tea")}, Done: "cart.textContent === '1 tea'"},
	{Area: "shop", Name: "buy two", Path: "/shop", Steps: []Step{fill("two cakes", "spinbutton", "Amount of cake", "2"), click("buy the cake", "button", "Buy cake")}, Done: "cart.textContent === '2 cake'"},
	{Area: "shop", Name: "search", Path: "/shop", Steps: []Step{fill("search for cake", "textbox", "Search the shop", "cake"),
		with(click("press Enter in the search field", "textbox", "Search the shop"), "press", "Enter")}, Done: "found.textContent === 'One article: cake'"},
	{Area: "shop", Name: "read a price", Path: "/shop", Steps: []Step{read("what the cake costs", `Cake[\s\S]*?(\d\.\d\d)`, "3.20")}},
	{Area: "shop", Name: "follow a link", Path: "/shop", Steps: []Step{click("open the page of the tea", "link", "Tea"), read("what the tea is made of", `(Leaves of last year)`, "Leaves of last year")}, Done: "location.pathname === '/tea'"},
	{Area: "shop", Name: "a coupon that stays secret", Path: "/shop", Steps: []Step{fill("enter the coupon", "textbox", "Coupon", "%code%"), click("use the coupon", "button", "Use coupon")}, Done: "off.textContent === 'Five off'"},

	{Area: "forms", Name: "two fields and a button", Path: "/forms", Steps: []Step{fill("the name", "textbox", "Name", "Ada"), fill("the address", "textbox", "E-mail", "ada@example.com"),
		click("register", "button", "Register")}, Done: "out.textContent === 'Registered Ada' && mail.value === 'ada@example.com'"},
	{Area: "forms", Name: "an option of a list", Path: "/forms", Steps: []Step{with(click("choose Sri Lanka", "combobox|select", "Country"), "selectOptionFromDropdown", "Sri Lanka")}, Done: "country.value === 'lk'"},
	{Area: "forms", Name: "a choice and a box", Path: "/forms", Steps: []Step{click("the large size", "radio", "Large"), click("send me news", "checkbox", "Send me news")},
		Done: "document.querySelector('[value=l]').checked && news.checked"},
	{Area: "forms", Name: "several lines", Path: "/forms", Steps: []Step{fill("two lines of remarks", "textbox", "Remarks", "One\nTwo")}, Done: "remarks.value === 'One\\nTwo'"},
	{Area: "forms", Name: "a date", Path: "/forms", Steps: []Step{fill("arrive on the first of May", "textbox|date|Date", "Day of arrival", "2027-05-01")}, Done: "day.value === '2027-05-01'"},
	{Area: "forms", Name: "a number", Path: "/forms", Steps: []Step{fill("three persons", "spinbutton", "Persons", "3")}, Done: "persons.value === '3'"},
	{Area: "forms", Name: "a mistake and its correction", Path: "/forms", Steps: []Step{click("register", "button", "Register"), read("what is wrong", `Error: (the name is missing)`, "the name is missing"),
		fill("the name", "textbox", "Name", "Ada"), click("register", "button", "Register")}, Done: "out.textContent === 'Registered Ada'"},

	{Area: "tables", Name: "read a cell", Path: "/table", Steps: []Step{read("the total of the third month", `March[\s\S]*?[: "](\d{3})\b`, "482")}},
	{Area: "tables", Name: "sort by a column", Path: "/table", Steps: []Step{click("sort by total", "button", "Total")}, Done: "rows.textContent.startsWith('June99')"},
	{Area: "tables", Name: "turn two pages", Path: "/table", Steps: []Step{click("the next page", "button", "Next"), click("the next page", "button", "Next"), read("the month on the last page", `(July)`, "July")}, Done: "at === 2"},
	{Area: "tables", Name: "one of several equal buttons", Path: "/table", Steps: []Step{nth(click("delete the second row", "button", "Delete"), 1)}, Done: "rows.textContent.startsWith('January310DeleteMarch')"},

	{Area: "calendar", Name: "pick a day", Path: "/calendar", Steps: []Step{click("the 17th", "button", "17")}, Done: "out.textContent === 'November 17'"},
	{Area: "calendar", Name: "a day of the next month", Path: "/calendar", Steps: []Step{click("the next month", "button", "Next month"), click("the 31st", "button", "31")}, Done: "out.textContent === 'December 31'"},
	{Area: "calendar", Name: "a menu that opens under the pointer", Path: "/calendar", Steps: []Step{with(click("point at the views", "clickable|generic|StaticText|div|text|", "Views"), "hover"), click("the week view", "button", "Week view")}, Done: "out.textContent === 'Week'"},

	{Area: "frames", Name: "a button in a frame", Path: "/frames", Steps: []Step{click("the near button", "button", "Near button")}, Done: "out.textContent === 'near;'"},
	{Area: "frames", Name: "a field in a frame of another site's frame", Path: "/frames", Steps: []Step{fill("fill the far field", "textbox", "Far field", "far away"), click("the far button", "button", "Far button")},
		Done: "out.textContent === 'far away;sent;'"},
	{Area: "shadow roots", Name: "an open one", Path: "/shadow", Steps: []Step{click("press open", "button", "Press open")}, Done: "out.textContent === 'open'"},
	{Area: "shadow roots", Name: "a closed one", Path: "/shadow", Steps: []Step{click("press closed", "button", "Press closed")}, Done: "out.textContent === 'closed'"},
	{Area: "canvas", Name: "a button that is painted", Path: "/canvas", Steps: []Step{click("play", "painted", "PLAY")}, Done: "screen === 'playing'"},
	{Area: "canvas", Name: "a painted screen behind another", Path: "/canvas", Steps: []Step{click("open the options", "painted", "OPTIONS"), click("switch the sound off", "painted", "SOUND OFF")}, Done: "screen === 'silent'"},

	{Area: "login", Name: "a login that survives", Path: "/login", Steps: []Step{fill("the user", "textbox", "User", "ada"), fill("the password", "textbox", "Password", "%password%"), click("log in", "button", "Log in"),
		{Restart: true}, read("the greeting", `(Welcome back)`, "Welcome back")}},
	{Area: "files", Name: "upload", Path: "/files", Steps: []Step{with(click("upload the letter", "button|textbox|file|input", "Your file"), "upload", File)}, Done: "out.textContent === 'letter.txt has 9 bytes'"},
	{Area: "files", Name: "download", Path: "/files", Steps: []Step{click("get the price list", "link", "Price list")}, Download: "prices.txt"},
	{Area: "tabs", Name: "a new tab", Path: "/links", Steps: []Step{click("open the help", "link", "Help"), read("the number to call", `Call (\d+ \d+)`, "555 0134")}, Done: "document.title === 'Help'"},
}
