# scripts/release fills this in.
class Playtest < Formula
  desc "Plays browser games and says whether they work"
  homepage "https://github.com/playtest-dev/playtest"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "https://github.com/playtest-dev/playtest/releases/download/v@VERSION@/playtest-@VERSION@-darwin-arm64.tar.gz"
      sha256 "@DARWIN_ARM64@"
    end
    on_intel do
      url "https://github.com/playtest-dev/playtest/releases/download/v@VERSION@/playtest-@VERSION@-darwin-amd64.tar.gz"
      sha256 "@DARWIN_AMD64@"
    end
  end
  on_linux do
    on_arm do
      url "https://github.com/playtest-dev/playtest/releases/download/v@VERSION@/playtest-@VERSION@-linux-arm64.tar.gz"
      sha256 "@LINUX_ARM64@"
    end
    on_intel do
      url "https://github.com/playtest-dev/playtest/releases/download/v@VERSION@/playtest-@VERSION@-linux-amd64.tar.gz"
      sha256 "@LINUX_AMD64@"
    end
  end

  def install
    bin.install "playtest"
    man1.install Dir["man/*"]
    bash_completion.install "completions/playtest.bash" => "playtest"
    zsh_completion.install "completions/_playtest"
    fish_completion.install "completions/playtest.fish"
  end

  def caveats
    "playtest needs a Chromium or Chrome: brew install --cask google-chrome, or see playtest doctor."
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/playtest version")
  end
end
