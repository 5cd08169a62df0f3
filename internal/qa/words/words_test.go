package words_test

import (
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/words"
)

func TestOf(t *testing.T) {
	for label, want := range map[string]words.Meaning{
		"Play":                    words.Start,
		"▶ PLAY!":                 words.Start,
		"Start Game":              words.Start,
		"Press SPACE to start":    words.Start,
		"- PRESS ENTER -":         words.Start,
		"Double tap to start":     words.Start,
		"Click anywhere to begin": words.Start,
		"Spielen":                 words.Start,
		"スタート":                    words.Start,
		"Играть":                  words.Start,
		"Начать игру":             words.Start,
		"Oyuna Başla":             words.Start,
		"Iniciar Jogo":            words.Start,
		"¡Empezar a jugar!":       words.Start,
		"开始游戏":                    words.Start,
		"试玩":                      words.Start,
		"玩家 1":                    words.None,
		"プレイヤー 2":                 words.None,
		"Play again":              words.Again,
		"Сыграть ещё раз":         words.Again,
		"Jogar novamente":         words.Again,
		"De novo":                 words.Again,
		"再来一局":                    words.Again,
		"リスタート":                   words.Again,
		"恭喜你，通关了":                 words.Over,
		"挑战失败":                    words.Over,
		"ターン終了":                   words.None,
		"あなたの勝ち！":                 words.Over,
		"ゲーム終了":                   words.Over,
		"失败：0":                    words.None,
		"玩法说明":                    words.Aside,
		"退出游戏":                    words.Aside,
		"🏠 返回首页":                  words.Aside,
		"タイトルへ戻る":                 words.Aside,
		"Volver al menú":          words.Aside,
		"Правила":                 words.Aside,
		"这首音乐是哪一位作曲家写的": words.None,
		"Restart":          words.Again,
		"Restart Game":     words.Again,
		"Reset the board":  words.Again,
		"New Game":         words.Again,
		"Game Over":        words.Over,
		"You win!":         words.Over,
		"Loading... 45%":   words.Loading,
		"Loading":          words.Loading,
		"Next level":       words.Continue,
		"Settings":         words.Aside,
		"Mute":             words.Aside,
		"Log out":          words.Aside,
		"Share this on":    words.Aside,
		"– Credits":        words.Aside,
		"Follow us on X":   words.Aside,
		"Follow the river": words.None,
		"60 FPS (12-60)":   words.Aside,
		"14 MB (12-19)":    words.Aside,
		"Playful penguins": words.None,
		"Score: 10":        words.None,
		"":                 words.None,
	} {
		if got := words.Of(label); got != want {
			t.Errorf("Of(%q) = %q, want %q", label, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]struct{ start bool }{
		"btn_play":        {start: true},
		"btplay":          {start: true},
		"playAgain":       {},
		"against":         {},
		"start-button":    {start: true},
		"playGame":        {start: true},
		"button_continue": {},
		"btnRestart":      {},
		"replay":          {},
		"next_button":     {},
		"player":          {},
		"context":         {},
		"hook":            {},
	} {
		if start := words.NamesStart(name); start != want.start {
			t.Errorf("%q starts: %v", name, start)
		}
	}
}

func TestSaysStart(t *testing.T) {
	for text, want := range map[string]bool{
		"点击屏幕开始":                  true,
		"按空格键开始游戏":                true,
		"▼ クリックで進む":               true,
		"点击继续":                    true,
		"Click to proceed":        true,
		"重新开始":                    false,
		"リスタート":                   false,
		"Press any key":           true,
		"Start with Enter":        true,
		"Toca para empezar":       true,
		"Use the arrows to steer": false,
	} {
		if got := words.SaysStart(text); got != want {
			t.Errorf("SaysStart(%q) = %t, want %t", text, got, want)
		}
	}
}

func TestIsStartButton(t *testing.T) {
	for label, want := range map[string]bool{
		"Start":              true,
		"START ENGINE":       true,
		"Start Heist! 🏃":     true,
		"Begin the journey":  true,
		"Comenzar la misión": true,
		"Начать приключение": true,
		"Start over":         false,
		"Starters":           false,
		"Start 10:30":        false,
		"Restart engine":     false,
		"":                   false,
	} {
		if got := words.IsStartButton(label); got != want {
			t.Errorf("IsStartButton(%q) = %t, want %t", label, got, want)
		}
	}
}

func TestNamedKey(t *testing.T) {
	for text, want := range map[string]string{
		"PRESS N TO START A NEW GAME":                     "KeyN",
		"press space to play":                             "Space",
		"Press Enter":                                     "Enter",
		"Press any key to start":                          "Space",
		"press a key":                                     "",
		"Drücke S zum Starten":                            "KeyS",
		"PRESS SPACE OR CLICK LEFT MOUSE BUTTON TO START": "Space",
		"the pressure rises":                              "",
		"Z X C V to drum - SPACE to begin":                "Space",
		"Outer space to begin with":                       "",
		"space to start":                                  "Space",
		"Start with Enter":                                "Enter",
		"[ENTER] to play":                                 "Enter",
		"a space to play in":                              "",
		"按空格键开始游戏":                                        "Space",
		"按 Enter 开始":                                      "Enter",
		"スペースキーでスタート":                                     "Space",
		"스페이스바를 눌러 시작":                                    "Space",
		"Presiona la barra espacio para comenzar":         "Space",
		"Pressione ENTER para jogar":                      "Enter",
		"Нажмите пробел, чтобы начать":                    "Space",
		"点击空格继续":                                          "",
	} {
		if got, _ := words.NamedKey(text); got != want {
			t.Errorf("NamedKey(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSaysLoading(t *testing.T) {
	for text, want := range map[string]bool{
		"Loading…":               true,
		"Loading assets 3 of 10": true,
		"Wird geladen":           true,
		"Click to start":         false,
		"A game about loading trucks at the harbour": false,
	} {
		if got := words.SaysLoading(text); got != want {
			t.Errorf("SaysLoading(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestAddressesAndErrors(t *testing.T) {
	for address, want := range map[string]bool{
		"https://www.google-analytics.com/analytics.js": true,
		"https://cdn.example/gtag/js?id=1":              true,
		"http://localhost/js/game.js":                   false,
		"http://localhost/phaser.min.js":                false,
	} {
		if got := words.IsTracker(address); got != want {
			t.Errorf("IsTracker(%q) = %v", address, got)
		}
	}
	for message, want := range map[string]bool{
		"Uncaught SyntaxError: Unexpected token '<'":                                     true,
		"SyntaxError: missing ) after argument list":                                     true,
		"Uncaught TypeError: x is not a SyntaxError":                                     false,
		`Uncaught SyntaxError: Unexpected token '<', "<!doctype "... is not valid JSON`:  false,
		"SyntaxError: Failed to execute 'querySelector' on 'Document': '#' is not valid": false,
	} {
		if got := words.IsSyntaxError(message); got != want {
			t.Errorf("IsSyntaxError(%q) = %v", message, got)
		}
	}
}
