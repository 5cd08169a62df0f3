package coverage

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

// Libraries are recognised by the names of their files and folders, which is
// what tells a studio's own code from what it downloaded.
var (
	libraryFile = regexp.MustCompile(`(?i)^(jquery|phaser|pixi|three|howler|lodash|underscore|react|vue|angular|createjs|easeljs|preloadjs|soundjs|tweenjs|melonjs|kaboom|kaplay|p5|matter|box2d|planck|cannon|ammo|oimo|babylon|tone|gsap|tweenmax|tweenlite|stats|dat\.gui|bootstrap|require|modernizr|polyfill|core-js|analytics|gtag|ga|gtm|sentry|firebase|workbox|webfont|socket\.io|peer|seedrandom|hammer|nipplejs|zepto|backbone|ember|knockout|mootools|prototype|dojo|d3|chart|moment|dayjs|axios|swfobject|buzz|soundmanager2|littlejs|excalibur|crafty|impact|cocos2d|playcanvas|raphael|snap\.svg|paper|fabric|konva|kontra|fontawesome|popper|fastclick|pep|numeric|gl-matrix|zdog|sweetalert2?|hammerjs|jszip|pako|aframe)([.\-_@]?(v?\d[\w.]*|min|umd|esm|module|core|all|full|slim|bundle|production|development|prod|dev|runtime|global|browser|arcade-physics|legacy|ui|compat|dist))*\.m?js$`)
	libraryDir  = regexp.MustCompile(`(?i)/(node_modules|bower_components|vendors?|third[-_]?party|jspm_packages)/`)
	libraryHost = regexp.MustCompile(`(?i)(^|\.)(cdnjs\.cloudflare\.com|unpkg\.com|jsdelivr\.net|googleapis\.com|gstatic\.com|googletagmanager\.com|google-analytics\.com|doubleclick\.net|googlesyndication\.com|code\.jquery\.com|bootstrapcdn\.com|polyfill\.io|skypack\.dev|esm\.sh)$`)
)

// IsLibrary reports whether the script at that address is a library rather
// than the game's own code.
func IsLibrary(raw string) bool {
	if raw == "" {
		return false
	}
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	if libraryHost.MatchString(u.Hostname()) || libraryDir.MatchString(u.Path) {
		return true
	}
	return libraryFile.MatchString(strings.ToLower(path.Base(u.Path)))
}
