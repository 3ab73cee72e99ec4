// Players: moments that are run through, stepped through, and gone to with a slider. One of them runs at a time.

const PACE = 700; // milliseconds between two moments
const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
let running = null;

// Played is something with these:
//
//   id, name          of the elements, and of the slider
//   count(), at()     how many moments there are, and the one that is shown
//   says()            that one in words
//   go(at)            shows another one
//   between(share)    draws what is on its way to the next one, where motion is welcome
//   rests()           called when a run has ended
class Player {
  constructor({ between = () => {}, rests = () => {}, ...played }) {
    Object.assign(this, played, { between, rests });
    const button = (part, onclick, properties) => make("button", { type: "button", id: `${this.id}-${part}`, onclick, ...properties });
    const slide = () => {
      this.pause();
      this.goTo(Number(this.slider.value));
    };
    this.slider = make("input", { type: "range", id: `${this.id}-at`, min: 0, ariaLabel: this.name, oninput: slide });
    this.playButton = button("play", () => (this.isRunning() ? this.pause() : this.play()), { className: "main" });
    this.steps = make("span", { id: `${this.id}-steps`, className: "quiet" });
    const step = (by) => () => {
      this.pause();
      this.goTo(this.at() + by);
    };
    this.elements = [
      button("back", step(-1), { ariaLabel: "Step back", textContent: "‹" }),
      this.playButton,
      button("next-step", step(1), { ariaLabel: "Step forward", textContent: "›" }),
      this.slider,
      this.steps,
    ];
  }

  isRunning() {
    return running?.player === this;
  }

  goTo(at) {
    this.go(Math.max(0, Math.min(at, this.count() - 1)));
  }

  pause() {
    if (!this.isRunning()) return;
    cancelAnimationFrame(running.frame);
    running = null;
    this.rests();
    this.show();
  }

  play() {
    running?.player.pause();
    if (this.at() === this.count() - 1) this.goTo(0);
    let begin = performance.now();
    const frame = (time) => {
      const share = (time - begin) / PACE;
      if (share >= 1) {
        if (this.at() === this.count() - 1) return this.pause();
        begin = time;
        this.goTo(this.at() + 1);
      }
      if (!isStill()) this.between(Math.max(0, Math.min(share, 1)));
      running.frame = requestAnimationFrame(frame);
    };
    running = { player: this, frame: requestAnimationFrame(frame) };
    this.show();
  }

  show() {
    const [at, count] = [this.at(), this.count()];
    Object.assign(this.slider, { max: count - 1, value: at });
    this.slider.setAttribute("aria-valuetext", `${at + 1} of ${count}: ${this.says()}`);
    this.playButton.textContent = this.isRunning() ? "Pause" : "Play";
    this.steps.textContent = `${at + 1} / ${count}`;
  }
}
