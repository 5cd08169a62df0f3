// Package words recognises what the texts on a game's screen mean: start,
// loading, game over, consent, instructions. It knows the commonest words of a
// dozen languages, because most of the world's games are not in English. It also
// knows what addresses and errors in a page's log are about.
package words

import (
	"regexp"
	"strings"
	"unicode"
)

// Meaning is what a text on a screen is for.
type Meaning string

// The meanings. None is everything else.
const (
	None     Meaning = ""
	Start    Meaning = "start"    // begins a game
	Continue Meaning = "continue" // goes on: next level, close a help screen
	Again    Meaning = "again"    // begins another round
	Over     Meaning = "over"     // says that a round has ended
	Loading  Meaning = "loading"  // says that the game is not there yet
	Consent  Meaning = "consent"  // agrees or dismisses
	Aside    Meaning = "aside"    // beside the game: sound, full screen, settings, credits, links
	Paused   Meaning = "paused"
)

// word-like patterns match whole words of Latin and Cyrillic scripts; scripts
// without spaces match anywhere.
var (
	start = pattern(
		`start( (the )?game| playing| here| now| new game| level \d+)?|play( (the )?game| now| free| online| again)?|begin|new game|let'?s (go|play)|enter( the)? game|`+
			`(tap|click|press|touch|hit)( (on )?(the )?(screen|here|mouse|anywhere|any key|a key|space( ?bar)?|enter|start|button|cube|canvas))*( to| \w+ to)? ?(start|play|begin|continue|proceed|advance|go)|press (any|a) key|(press|hit|push)( the)? (space( ?bar)?|enter|return|start)( key| button)?|any key to \w+|(double|dbl)[ -]?(click|tap)( to \w+)?|`+
			`(jetzt )?spielen|(das )?spiel (starten|beginnen)|starten?|los( geht'?s)?|neues spiel|anfangen|beginnen|nouvelle partie|nueva partida|(juego nuevo|nuevo juego)|novo jogo|nuova partita|avvia|`+
			`(jouer|commencer|démarrer|lancer)( (le|la|une|à) (jeu|partie|jouer)| maintenant)?|(jugar|empezar|comenzar|iniciar)( (el |la |a )?(juego|partida|jugar)| ahora)?|(jogar|começar|iniciar)( (o |a )?(jogo|partida|jogar)| agora)?|(gioca|inizia|comincia)( (il |la |a )?(gioco|partita|giocare)| ora)?|`+
			`(играть|начать|старт|запустить)( игру| играть| сейчас)?|новая игра|(почати|грати)( гру)?|нова гра|(graj|zagraj|rozpocznij|zacznij)( grę)?|nowa gra|(oyuna |oyunu )?(oyna|başla|başlat)|yeni oyun|spela|starta|nytt spel|spil|start spel|nieuw spel|speel|hrát|nová hra|(bắt đầu|chơi)( chơi| game| ngay)?|mulai( main| permainan| game)?|`+
			`.{0,4}(去|来|试|开)玩|玩(游戏|一下)?`,
		`スタート|はじめる|始める|プレイ([^ヤ]|$)|遊ぶ|あそぶ|开始|開始|시작|플레이([^어]|$)|เริ่ม|ابدأ|العب|התחל|शुरू|(クリック|タップ|タッチ|キー|スペース|enter)(して|で|を押して|すると)?.{0,4}(進|続|つづ|次|すす)|(클릭|터치|탭).{0,8}(계속|진행)|(点击|轻触|点按|點擊).{0,8}(继续|繼續|进入|進入|下一步)`)
	// choices are words on a menu's buttons that lead into the game, but mean
	// nothing when they are merely written on the screen.
	choices = pattern(`go|ready|single ?player|one player|1 ?player|1p|solo|vs\.? (computer|cpu|ai|bot)|easy|beginner|normal|medium|level ?0?1|stage ?0?1|world ?1|1|deal|launch|new|select|choose|campaign|arcade( mode)?|classic( mode)?|story( mode)?|endless( mode)?|free ?play|practice|leicht|einfach|normal|facile|fácil|(1|un) jugador|(1|um) jogador|1 joueur|лёгкий|легко|один игрок|1 игрок|łatwy|kolay|.{0,3}(入门|初级|容易|单人|人机对战|第[一1]关|初級|かんたん|やさしい|초급).{0,3}`,
		`簡単|ふつう|简单|普通|쉬움`)
	again = pattern(
		`(play|try|go) again|again|(retry|restart|replay|reload|reset)( (the )?(game|level|round|board|puzzle|match))?|new (game|round)|another (game|round)|rematch|start over|once more|respawn|`+
			`(press|click|tap|hit|touch) .{0,30}(restart|retry|play again|try again|again|new game)|one more( time| game)?|`+
			`noch ?mal|nochmal( spielen)?|neustart|neu starten|erneut|rejouer|recommencer|réessayer|reintentar|(volver a jugar|jugar|intentar)( de nuevo| otra vez)|volver a (jugar|empezar)|otra vez|(reiniciar|resetear)( (el |o )?(juego|jogo|partida))?|(jogar|tentar)( novamente| de novo| outra vez)|recomeçar|de novo|novamente|outra vez|mais uma( vez)?|de nuevo|encore( une fois)?|gioca ancora|ancora|riprova|ricomincia|(сыграть |играть |начать |попробовать )?(ещё раз|еще раз|заново|снова)|сыграть ещё|перезапуск|перезапустить|jeszcze raz|(zagraj |spróbuj )ponownie|tekrar( oyna)?|yeniden (başla|başlat|oyna)|igen|opnieuw|chơi lại|main lagi|сброс`,
		`もう一度|もういちど|リトライ|再挑戦|リスタート|やり直|やりなおし|最初から|リセット|再来一|再來一|重新开始|重新開始|再玩|重玩|重来|重試|重试|再试|再試|重置|다시( 하기)?|재시작|재도전|초기화`)
	over = pattern(
		`game ?over|you (lose|lost|died|win|won|are dead|failed|survived)|you'?re dead|you have (lost|died|won)|(final|your) score( was| is)?:? ?\d*|time'?s up|out of (time|lives|moves)|(level )?failed|defeat(ed)?|victory|mission failed|wasted|(x|o|player ?\d|white|black|red|blue|computer|cpu|it'?s a|a) (wins?|won|draw|tie)!?|draw!?|no more moves|level (complete|cleared|done)|congratulations!?|well done!?|you scored \d+|round over|crashed!?|busted|the end|dead!?|`+
			`spiel vorbei|verloren|gewonnen|spielende|partie terminée|perdu|gagné|fin( de la partie)?|juego terminado|fin del juego|perdiste|ganaste|has perdido|has ganado|fim de jogo|você (perdeu|ganhou|venceu)|hai (perso|vinto)|fine( del gioco)?|игра окончена|вы проиграли|вы выиграли|конец игры|koniec gry|oyun bitti|kaybettin|kazandın|`+
			`(你|您|玩家)?(胜利|勝利|失败|失敗|获胜|獲勝|赢了|贏了|输了|輸了)|(恭喜|祝贺).{0,16}|(挑战|闯关|任务|通关)(成功|失败|完成)|通关|时间到|時間到|平局|(黑|白|红|蓝)(方|棋|子)?(胜|获胜|赢|胜利|赢了)|`+
			`(ゲーム|試合|対局)?(終了|おわり)|.{0,6}の?(勝ち|負け|勝利|敗北)(です|だ|よ)?|(ゲーム|ステージ|レベル|全?面)?クリア`,
		`ゲームオーバー|游戏结束|遊戲結束|你输了|你赢了|게임 ?오버|게임 ?종료`)
	loading = pattern(
		`(now |still )?loading( (assets|game|resources|level|sounds|images|textures|data|files|please wait|scripts?|module|world|map))?( ?[.:…]*)?( ?\d{1,3} ?%?)?( ?of \d+)?|please wait|preloading|initiali[sz]ing|downloading|connecting|`+
			`lädt|laden|wird geladen|bitte warten|ladevorgang|chargement( en cours)?|veuillez patienter|cargando|por favor espere|espera|carregando|aguarde|caricamento|attendere|загрузка|подождите|ładowanie|yükleniyor|laddar|indlæser`,
		`読み込み中|ロード中|ローディング|加载中|載入中|正在加载|로딩( ?중)?`)
	consent = pattern(
		`accept( all)?( cookies)?|agree( and \w+)?|i agree|i accept|allow( all)?( cookies)?|got it!?|ok(ay)?|close|dismiss|no,? thanks|reject( all)?|decline|deny|necessary only|skip( ad| intro| tutorial)?|understood|i understand|disable audio|disable sound|no sound|without sound|mute|not now|later|maybe later|x|×|✕|✖|`+
			`akzeptieren|alle akzeptieren|zustimmen|verstanden|schließen|ablehnen|überspringen|accepter|tout accepter|fermer|refuser|passer|d'accord|aceptar|cerrar|rechazar|omitir|entendido|aceitar|fechar|pular|accetta|chiudi|rifiuta|salta|принять|закрыть|пропустить|понятно|akceptuję|zamknij|kabul et|kapat`,
		`同意する|閉じる|スキップ|接受|同意|关闭|跳过|동의|닫기|건너뛰기`)
	goOn = pattern(
		`continue|next( level| stage| round)?|resume|proceed|skip|ok(ay)?|got it!?|done|confirm|let'?s go|close|enter|yes|ready|understood|`+
			`weiter|nächste[sr]?( level| runde)?|fortsetzen|verstanden|continuer|suivant|niveau suivant|continuar|siguiente( nivel)?|próximo( nível)?|continua|avanti|prossimo|продолжить|далее|следующий|dalej|kontynuuj|devam|sonraki|fortsätt|nästa|确定|确认|(我)?知道了|好的|明白了?|わかった|確定|확인`,
		`続ける|つづける|次へ|次の|继续|繼續|下一关|下一關|下一步|下一题|계속|다음`)
	aside = pattern(
		`mute|unmute|(show |get )?hints?|sounds?( (on|off))?|music( (on|off))?|audio( (on|off))?|sfx|volume|full ?screen|settings?|options?|preferences|help|how to play|instructions?|rules|tutorial|about|credits?|share( (this|it|on|with|via|your).*)?|follow (us|me).*|like us.*|tweet( .*)?|twitter|facebook|discord|github|source( code)?|view source|fork me.*|report|feedback|contact|privacy( policy)?|terms( of \w+)?|imprint|login|log ?(in|out|off)|sign ?(in|up|out)|[\d.]* ?(fps|ms|mb)( \([\d-]+)?|register|account|high ?scores?|leader ?boards?|scores?|stats|statistics|achievements|shop|store|buy.*|donate|support.*|language|english|theme|dark( mode)?|light( mode)?|download.*|app store\.?|get the app\.?|google play|home|back|menu|main menu|quit|exit|pause|info|more games|copy.*|export|import|save( game)?|load( game)?|delete( save)?|zoom.*|hide.*|toggle.*|`+
			`ton|musik|einstellungen|hilfe|anleitung|regeln|über|impressum|datenschutz|teilen|son|musique|paramètres|aide|sonido|música|ajustes|ayuda|som|configurações|ajuda|suono|impostazioni|aiuto|звук|музыка|настройки|помощь|подсказка|pistas?|dicas?|tipp|`+
			`zurück( zum menü)?|beenden|(haupt)?menü|spielregeln|spielanleitung|optionen|bestenliste|(ton|musik) (an|aus)|quitter|retour( au menu)?|accueil|règles( du jeu)?|crédits|comment jouer|classement|partager|`+
			`salir|volver( al (menú|inicio))?|menú( principal)?|instrucciones|reglas|cómo jugar|opciones|configuración|clasificación|puntuaciones|compartir|silenciar|sair|voltar( ao (menu|início))?|menu principal|instruções|regras|como jogar|opções|pausar|recordes|compartilhar|esci|indietro|regole|come si gioca|opzioni|classifica|`+
			`выход|выйти|назад|(главное )?меню|в меню|правила|как играть|об игре|рекорды|таблица рекордов|поделиться|ustawienia|wyjście|wróć|zasady|pomoc|ayarlar|çıkış|geri|kurallar|nasıl oynanır|`+
			`.{0,4}(退出|返回|主页|首页|主頁|菜单|菜單|选单|规则|規則|玩法|如何玩|怎么玩|说明|說明|排行|音效|静音|靜音|音乐|音樂|全屏|全螢幕|分享|成就|商店|统计|历史|关于|暂停|暫停|提示).{0,4}|.{0,4}(戻る|もどる|メニュー|タイトルへ|ホーム|ランキング|ルール|使い方|一時停止|クレジット|ヒント).{0,4}|.{0,4}(나가기|뒤로|돌아가기|메뉴|규칙|랭킹|순위|소리|음악|일시 ?정지|공유|방법|힌트).{0,4}`,
		`設定|音量|ヘルプ|遊び方|あそびかた|设置|声音|帮助|설정|도움말`)
	paused = pattern(`(game )?paused?!?|pause|pausiert|en pause|pausado|pausa|пауза`, `ポーズ|一時停止|暂停|일시정지`)
)

type phrase struct{ whole, anywhere *regexp.Regexp }

func pattern(latin, other string) phrase {
	return phrase{
		whole:    regexp.MustCompile(`(?i)^(?:` + latin + `)$`),
		anywhere: regexp.MustCompile(`(?i)(?:` + other + `)`),
	}
}

func (p phrase) is(s string) bool { return p.whole.MatchString(s) || p.anywhere.MatchString(s) }

// Of tells what a label means: a short text such as a button's. The order is
// that of how much harm a mistake does.
func Of(label string) Meaning {
	s := clean(label)
	if s == "" || len(s) > 90 {
		return None
	}
	switch {
	case loading.is(s):
		return Loading
	case again.is(s):
		return Again
	case start.is(s):
		return Start
	case over.is(s):
		return Over
	case goOn.is(s):
		return Continue
	case aside.is(s):
		return Aside
	case paused.is(s):
		return Paused
	case consent.is(s):
		return Consent
	}
	return None
}

// IsStart, IsAgain and the like ask one question of a label. In scripts without
// spaces a word for starting is part of many a word for starting again.
func IsStart(label string) bool {
	s := clean(label)
	return start.whole.MatchString(s) || start.is(s) && !again.is(s) && !aside.is(s)
}

// IsStartButton reports whether a button's label begins the game by another name:
// "Start engine", "Begin the journey".
func IsStartButton(label string) bool {
	return IsStart(label) || Of(label) == None && startSomething.MatchString(clean(label))
}

// IsChoice reports whether a button's label leads into the game from a menu:
// a level, a mode, a number of players.
func IsChoice(label string) bool { return choices.is(clean(label)) }

// IsAgain reports whether the label begins another round.
func IsAgain(label string) bool { return again.is(clean(label)) }

// IsContinue reports whether the label goes on.
func IsContinue(label string) bool { return goOn.is(clean(label)) }

// IsAside reports whether the label belongs to something beside the game.
func IsAside(label string) bool { return aside.is(clean(label)) }

// NamesStart reports whether a name that a programmer gave, of a class or a picture,
// is that of something that starts a game.
func NamesStart(name string) bool { return startName.MatchString(name) && !otherName.MatchString(name) }

var (
	startName = regexp.MustCompile(`(?i)(^|[^a-z])(start|play|begin)([^a-z]|$)|(start|play|begin)[-_]?(btn|button|game|screen)|(bt|btn|button)[-_]?(start|play|begin)|(start|play|begin)Game`)
	otherName = regexp.MustCompile(`(?i)display|player|playlist|playground|startup|restart|replay|autoplay|play-?area|gameplay`)
)

// IsConsent reports whether the label agrees to or dismisses something.
func IsConsent(label string) bool { return consent.is(clean(label)) }

var (
	// startSomething is no sentence of its own: "start time" may stand anywhere.
	startSomething = regexp.MustCompile(`(?i)^(start|begin|launch|starte|beginne|commencer|démarrer|lancer|empezar|comenzar|iniciar|começar|inizia|comincia|начать|rozpocznij|zacznij)( \pL+){1,3}$`)

	startInside   = regexp.MustCompile(`(?i)\b(press|click|tap|touch|hit|double[ -]?click|double[ -]?tap)\b.{0,40}\b(start|play|begin|continue|launch|go)\b|\bto (start|begin)\b|press any key|drücke.{0,30}(start|spiel)|(klicke?|tippe).{0,40}(start|spielen|beginnen)|appuyez|cliquez.{0,40}(commencer|jouer|démarrer)|(pulsa|presiona|toca|haz clic|clic|clique|aperte|pressione|toque).{0,40}(empezar|jugar|comenzar|iniciar|começar|jogar)|\bpara (empezar|comenzar|iniciar|começar)\b|(premi|clicca|tocca).{0,40}(iniziare|giocare|cominciare)|нажмите|нажми.{0,40}(начать|играть|старт)|чтобы начать`)
	gameOver      = regexp.MustCompile(`(?i)\bgame ?over\b|spiel vorbei|juego terminado|fin del juego|fim de jogo|игра окончена|partie terminée|ゲームオーバー|游戏结束|遊戲結束|게임 ?오버`)
	overInside    = regexp.MustCompile(`(?i)\byou (lose|lost|died|win|won)\b|\bfinal score\b|\btime'?s up\b`)
	againInside   = regexp.MustCompile(`(?i)\b(restart|retry|play again|try again|to reset|new game)\b`)
	loadingInside = regexp.MustCompile(`(?i)^\W*(now |still )?loading\b|\bloading\W*$|\bloading ?(\.{2,}|…|\d{1,3} ?%)|please wait|wird geladen|ladevorgang|chargement|cargando|carregando|caricamento|загрузка|yükleniyor|読み込み中|ロード中|加载中|載入中|로딩`)
	keyName       = regexp.MustCompile(`(?i)\b(?:press|hit|push|drücke|taste|pulsa|appuyez sur|нажмите)\s+(?:the\s+)?["'\[(<]?(space ?bar|space|enter|return|any key|[a-z0-9]|arrow (?:up|down|left|right)|up|down|left|right|esc(?:ape)?|shift|leertaste)["'\])>]?(?:\s+(?:key|taste|button))?\b`)
	keyFirst      = regexp.MustCompile(`(?i)(?:^|[-–—|:,.;(\[]|\bor)\W*(space ?bar|space|enter|return)\W+(?:key\s+)?to (?:start|play|begin|launch|continue)\b`)
	keyLast       = regexp.MustCompile(`(?i)\b(?:start|begin|play)\s+(?:with|using|by pressing)\s+(?:the\s+)?["'\[(<]?(space ?bar|space|enter|return)\b`)
	keyElsewhere  = regexp.MustCompile(`(?i)(?:按|敲)(?:下|住|一下)?\s*["'「『【\[(<]*(空格|空白|回车|回車|enter|space|任意)|(スペース|エンター|enter|space|任意の|いずれかの)(?:キー|バー)?\s*(?:を押|で)|(스페이스|엔터|enter|space|아무)\s*(?:바|키)?(?:를|을|나)?\s*(?:눌러|누르)|` +
		`(?:presiona|pulsa|presione|pulse|aperte|pressione|appuyez sur|premi|нажмите|нажми|drücke)\s+(?:(?:la|a|o|el|le|на|die|un|uma|una) ?)?(?:(?:tecla|barra|touche|клавишу|taste) ?)?(?:de |d')?["'\[(<]*(espacio|espaço|espace|spazio|пробел|enter|intro|invio|entrée|leertaste|cualquier|qualquer|любую)`)
	letterA   = regexp.MustCompile(`(?i:press|hit|push)\s+(?:A\b|["'\[(<][aA]["'\])>])`)
	howTo     = regexp.MustCompile(`(?i)\b(arrow|arrows|wasd|w/?a/?s/?d|space ?bar|mouse|click|drag|swipe|keys?|press|tap|type|hold)\b`)
	templated = regexp.MustCompile(`\{\{\s*[\w.$|()'" ]+\s*\}\}|<%=?|\$\{[\w.]+\}`)
)

// SaysStart reports whether a sentence asks the player to start.
func SaysStart(text string) bool {
	return startInside.MatchString(text) || keyLast.MatchString(text) || IsStart(text)
}

// SaysOver reports whether a sentence says that a round has ended.
func SaysOver(text string) bool {
	return SaysGameOver(text) || overInside.MatchString(text) || over.is(clean(text))
}

// SaysGameOver reports whether a sentence says that the whole game has ended, and
// not only a round of chance.
func SaysGameOver(text string) bool { return gameOver.MatchString(text) }

// SaysAgain reports whether a sentence offers another round.
func SaysAgain(text string) bool { return againInside.MatchString(text) || IsAgain(text) }

// SaysLoading reports whether a text says that the game is still loading.
func SaysLoading(text string) bool {
	t := clean(text)
	return len(t) <= 120 && (loadingInside.MatchString(t) || loading.is(t))
}

// IsHowTo reports whether a sentence tells how to play.
func IsHowTo(text string) bool {
	return len(text) >= 8 && len(text) <= 300 && howTo.MatchString(text)
}

// IsTemplate reports whether a text is a template that nothing filled in.
func IsTemplate(text string) bool { return templated.MatchString(text) }

// NamedKey finds the key that a sentence such as "press N to start" names, as a
// KeyboardEvent code.
func NamedKey(text string) (code string, ok bool) {
	m := keyName.FindStringSubmatch(text)
	if m == nil {
		m = keyFirst.FindStringSubmatch(text)
	}
	if m == nil {
		m = keyLast.FindStringSubmatch(text)
	}
	if m == nil {
		return keyInWords(text)
	}
	switch k := strings.ToLower(strings.ReplaceAll(m[1], " ", "")); k {
	case "space", "spacebar", "leertaste", "anykey":
		return "Space", true
	case "enter", "return":
		return "Enter", true
	case "esc", "escape":
		return "Escape", true
	case "shift":
		return "ShiftLeft", true
	case "up", "arrowup":
		return "ArrowUp", true
	case "down", "arrowdown":
		return "ArrowDown", true
	case "left", "arrowleft":
		return "ArrowLeft", true
	case "right", "arrowright":
		return "ArrowRight", true
	default:
		if len(k) != 1 {
			return "", false
		}
		if k[0] >= '0' && k[0] <= '9' {
			return "Digit" + k, true
		}
		// "press a key", "press a button": an article, not a letter.
		if k == "a" && !letterA.MatchString(text) {
			return "", false
		}
		return "Key" + strings.ToUpper(k), true
	}
}

// keyInWords is NamedKey for keys that other languages call by a name of theirs.
func keyInWords(text string) (code string, ok bool) {
	m := keyElsewhere.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	switch strings.ToLower(strings.Join(m[1:], "")) {
	case "enter", "intro", "invio", "entrée", "回车", "回車", "エンター", "엔터":
		return "Enter", true
	}
	return "Space", true // or any other
}

// clean strips decoration around a label: arrows, emoji, brackets, punctuation.
func clean(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	trimmed := strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsSymbol(r) || unicode.IsPunct(r) && r != '!' && r != '?' || r == 0xFE0F
	})
	trimmed = strings.TrimRight(trimmed, "!? ")
	if trimmed == "" {
		return s
	}
	return trimmed
}

// IsTracker reports whether an address belongs to something that watches or
// advertises, which no game needs.
func IsTracker(address string) bool { return tracker.MatchString(address) }

// IsSyntaxError reports whether an error says that a script cannot be read.
func IsSyntaxError(message string) bool {
	return syntaxError.MatchString(message) && !ofData.MatchString(message)
}

var (
	tracker     = regexp.MustCompile(`(?i)analytics|gtag|gtm\b|googletag|doubleclick|adsbygoogle|adservice|sentry|hotjar|facebook|twitter|disqus|cookie|consent|addthis|sharethis|tracking|telemetry|beacon|plausible|matomo|livereload`)
	syntaxError = regexp.MustCompile(`^(Uncaught )?SyntaxError`)
	ofData      = regexp.MustCompile(`JSON|Failed to execute`) // which a script that runs was given
)
